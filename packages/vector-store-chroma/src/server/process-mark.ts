import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable whose value a server hands on to all that it starts. */
export const markVariable = 'KETTLE_CHROMA_MARK';

/**
 * Ends every process that bears the mark, wherever it is: a wrapper may have died and left its server, in its process
 * group or outside of it. Linux only; elsewhere it finds none.
 *
 * @returns Whether there was one.
 */
export function killMarked(mark: string): boolean {
  if (process.platform !== 'linux' || mark === '') return false;
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && bears(pid, mark));
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone in the meantime.
    }
  }
  return pids.length > 0;
}

function bears(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${markVariable}=${mark}`);
  } catch {
    // Another user's, or gone. A zombie's is empty.
    return false;
  }
}
