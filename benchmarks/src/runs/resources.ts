import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Bytes of memory resident in this process and all that it started, after a garbage collection: a backend that
 * runs as a server of its own pays for that server.
 *
 * Counts children only where /proc tells about them (Linux); elsewhere this process alone.
 */
export async function residentMemory(): Promise<number> {
  globalThis.gc?.();
  return residentNow();
}

/**
 * Looks every half second at what {@link residentMemory} counts, without a garbage collection, until the returned
 * function is called, which gives the most there was.
 */
export function watchMemory(): () => Promise<number> {
  let peak = 0;
  const look = async () => {
    peak = Math.max(peak, await residentNow());
  };
  const timer = setInterval(() => void look(), 500);
  return async () => {
    clearInterval(timer);
    await look();
    return peak;
  };
}

async function residentNow(): Promise<number> {
  try {
    const family = await descendants(process.pid);
    const sizes = await Promise.all([process.pid, ...family].map(residentOf));
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    return process.memoryUsage.rss();
  }
}

async function descendants(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  const children = lists.join(' ').split(/\s+/).filter(Boolean).map(Number);
  const deeper = await Promise.all(children.map((child) => descendants(child).catch(() => [])));
  return [...children, ...deeper.flat()];
}

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Bytes that the files under `directory` take on the disk. Files that vanish meanwhile count as nothing. */
export async function diskUsage(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = join(entry.parentPath ?? entry.path, entry.name);
        const stats = await stat(file).catch(() => undefined);
        return stats ? (stats.blocks ?? Math.ceil(stats.size / 512)) * 512 : 0;
      }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Milliseconds that `work` takes, and what it gives. */
export async function timed<T>(work: () => Promise<T> | T): Promise<{ milliseconds: number; value: T }> {
  const start = performance.now();
  const value = await work();
  return { milliseconds: performance.now() - start, value };
}
