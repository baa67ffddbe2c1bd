// node scripts/count-tests.mjs FILE: prints "PASSED FAILED SKIPPED" of a vitest JSON report; a missing report is a failure.
import { existsSync, readFileSync } from 'node:fs';

const file = process.argv[2];
if (!file || !existsSync(file)) {
  process.stdout.write('0 1 0\n');
} else {
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, numTodoTests, success } =
    JSON.parse(readFileSync(file, 'utf8'));
  // A file that fails to load fails no single test; it must not read as green.
  const failed = numFailedTests > 0 ? numFailedTests : success ? 0 : Math.max(1, numFailedTestSuites);
  process.stdout.write(`${numPassedTests} ${failed} ${numPendingTests + numTodoTests}\n`);
}
