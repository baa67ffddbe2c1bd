import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes in use on this thread's heap, once everything that nobody holds is gone. */
export function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** How many times the first half of some measurements their second half is, on average. 1 where nothing grows. */
export function growth(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  const mean = (part: readonly number[]) => part.reduce((sum, value) => sum + value, 0) / part.length;
  return mean(values.slice(half)) / mean(values.slice(0, half));
}
