// Runs a command until stdin ends, as it does when a test run is killed: node run-while-wanted.mjs COMMAND…
// Says the process id, which is that of a process group.
import { spawn } from 'node:child_process';

const [program, ...words] = process.argv.slice(2);
const child = spawn(program, words, { detached: true, stdio: 'ignore' });
process.stdout.write(`${child.pid}\n`);
child.on('exit', () => process.exit());
process.stdin.resume().on('end', () => process.kill(-child.pid, 'SIGKILL'));
