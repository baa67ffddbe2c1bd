import type { FoundFile } from './reading/walk-folder.js';

/**
 * Documents in work at a time. Small ones are many, so that the model never waits for the next; large ones are few,
 * for they lie in memory whole.
 */
const atOnce = { least: 2, most: 32, bytes: 128 * 1024 };

/** Runs `work` for each file, several at a time. The first failure ends all. */
export async function severalAtOnce(
  files: readonly FoundFile[],
  signal: AbortSignal,
  work: (file: FoundFile) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  let bytes = 0;
  let failure: { readonly reason: unknown } | undefined;
  const isFull = (next: number) =>
    underWay.size >= atOnce.most || (underWay.size >= atOnce.least && bytes + next > atOnce.bytes);
  for (const file of files) {
    while (failure === undefined && isFull(file.size)) await Promise.race(underWay);
    if (failure !== undefined || signal.aborted) break;
    bytes += file.size;
    const run = work(file)
      .catch((reason) => {
        failure ??= { reason };
      })
      .then(() => {
        bytes -= file.size;
        underWay.delete(run);
      });
    underWay.add(run);
  }
  // All of them have to end, or one would go on writing after the run.
  await Promise.all(underWay);
  if (failure !== undefined) throw failure.reason;
  signal.throwIfAborted();
}
