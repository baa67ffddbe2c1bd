import { writeFileSync } from 'node:fs';
import { htmlReport, markdownReport, terminalReport } from '@kettle/benchmarks';
import { test } from 'vitest';
import { madeUpResults } from './made-up-results.js';

test('x', () => {
  const r = madeUpResults();
  const t = Date.now();
  writeFileSync('/tmp/r.html', htmlReport(r));
  console.log(Date.now() - t);
  writeFileSync('/tmp/r.md', markdownReport(r));
  console.log(terminalReport(r, 110));
});
