import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Tells this process from every other one that had or will have the same pid: its start time, and on Linux the
 * boot. Undefined when there is no such process, or the system doesn't say (Windows).
 */
export function processIdentity(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The name, in brackets, may hold anything; state and start time are the 1st and 20th field after it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? undefined : `${boot} ${fields[19]}`;
    } catch {
      return undefined;
    }
  }
  if (process.platform === 'win32') return undefined;
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.trim() || undefined;
}
