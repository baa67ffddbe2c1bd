// One process at a time may set up a checkout. A file with the holder's process id, since on a fresh clone there is
// nothing yet that could ask the system for a lock.
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** How long a claim on a dead holder's lock must stand, in milliseconds. Others that saw it dead claim it at once. */
const settling = 250;

/** Waits until the lock is ours. Returns its release. `onWait` is told once, when somebody else has it. */
export async function takeLock(file, onWait) {
  for (let told = false; ; ) {
    if (create(file)) return () => release(file);
    const holder = holderOf(file);
    if (holder !== undefined && !isAlive(holder) && (await claim(file))) return () => release(file);
    if (!told) onWait(holder);
    told = true;
    await pause();
  }
}

function create(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/**
 * Several may find the holder dead. Each puts its own claim over the file, the last one stays, and none ever removes
 * what may have become another's.
 */
async function claim(file) {
  const ours = `${file}.${process.pid}`;
  writeFileSync(ours, String(process.pid));
  renameSync(ours, file);
  await pause();
  return holderOf(file) === process.pid;
}

function release(file) {
  if (holderOf(file) === process.pid) rmSync(file, { force: true });
}

/** The process id in the file; 0 where it holds none; undefined while that can't be told, or where there is no file. */
function holderOf(file) {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    // Empty for the instant between creation and writing.
    if (holder === 0 && Date.now() - statSync(file).mtimeMs < 5000) return undefined;
    return Number.isSafeInteger(holder) && holder > 0 ? holder : 0;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  if (pid === 0) return false; // to `kill`, 0 is our own group
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, settling));
}
