// node scripts/run.mjs ENTRY [ARGS…]: makes the checkout ready, then runs ENTRY (a path from the root) in this process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureReady, root } from './ready.mjs';

const [entry, ...args] = process.argv.slice(2);
// Setting up may take minutes. A server ends with the process that started it (over HTTP only with a package manager's
// script), also where that one is gone by then; this process is named since its children get the note too.
const how = process.env.npm_lifecycle_script?.includes(`scripts/run.mjs ${entry}`) ? 'script' : 'itself';
process.env.KETTLE_STARTED_BY = `${process.pid}:${process.ppid}:${how}`;
try {
  await ensureReady();
} catch (error) {
  process.stderr.write(`kettle: ${error.message}\n`);
  process.exit(1);
}
const file = join(root, entry);
process.argv = [process.argv[0], file, ...args];
await import(pathToFileURL(file).href);
