import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Another Kettle, as far as the server can tell. Resolves once it knows where the server is. */
export async function holdServer(
  directory: string,
  command: readonly string[],
): Promise<{ readonly process: ChildProcess; readonly url: string }> {
  const holder = spawn(
    process.execPath,
    [fileURLToPath(new URL('./hold-server.mjs', import.meta.url)), directory, ...command],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const [url] = (await once(createInterface({ input: holder.stdout }), 'line')) as [string];
  return { process: holder, url };
}

/** Process id of the server that the folder's state file tells of. */
export function serverPid(directory: string): number {
  return (
    JSON.parse(readFileSync(join(directory, 'kettle-server.json'), 'utf8')) as { server: { pid: number } }
  ).server.pid;
}

/** Process id of the server's guardian, its parent. Linux only. */
export function guardianPid(directory: string): number {
  const stat = readFileSync(`/proc/${serverPid(directory)}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
}

export async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/api/v2/heartbeat`, { signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
}

/** A signal for calls that are expected to be answered. */
export const soon = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(30_000) });
