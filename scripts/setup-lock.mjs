// One process at a time may set up a checkout. A file with the holder's process id, since on a fresh clone there is
// nothing yet that could ask the system for a lock.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** How long to wait before the next look, in milliseconds. */
const lookMs = 250;

/** Waits until the lock is ours. Returns its release. `onWait` is told once, when somebody else has it. */
export async function takeLock(file, onWait) {
  for (let told = false; !tryTake(file); told = true) {
    if (!told) onWait(holderOf(file));
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return () => release(file);
}

/**
 * Several may find the holder dead, and any of them may stall before it acts on that. So a dead one's file is removed
 * only under a second lock, by who still finds it dead then. A holder of that one may die as well: it is a lock like
 * the first.
 */
function tryTake(file) {
  if (create(file)) return true;
  if (!isAbandoned(file)) return false;
  const claim = `${file}.claim`;
  if (!tryTake(claim)) return false;
  try {
    if (!isAbandoned(file)) return false;
    rmSync(file);
    return create(file);
  } finally {
    release(claim);
  }
}

function create(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  // Whoever stalls before it writes its id passes for dead, and another may have come in.
  return holderOf(file) === process.pid;
}

function isAbandoned(file) {
  const holder = holderOf(file);
  return holder !== undefined && !isAlive(holder);
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
