// Says whether it got the lock, and holds it until its stdin ends: node hold-lock.mjs DIRECTORY NAME
import { FileLock } from '@kettle/file-lock';

const [directory, name] = process.argv.slice(2);
try {
  const lock = FileLock.acquire(directory, name);
  process.stdout.write(lock ? 'held\n' : 'busy\n');
  process.stdin.resume().on('end', () => lock?.release());
} catch (error) {
  process.stdout.write(`${error.code}\n`);
}
