import { setMaxListeners } from 'node:events';

/** The end of one call: a signal, and `release` for when the call is over. */
export interface Ending {
  readonly signal: AbortSignal;
  release(): void;
}

/**
 * Ends after `milliseconds` or with the first of `signals`. `AbortSignal.any` would do the same, but in Node 20 a
 * signal that lives as long as the process remembers every combined one that was ever made of it.
 */
export function endAfter(milliseconds: number, signals: readonly (AbortSignal | undefined)[]): Ending {
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, milliseconds);
  for (const signal of signals) {
    if (signal?.aborted) end();
    if (!signal) continue;
    // Many calls at once listen to one signal, and each lets go of it: no leak for Node to warn of.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', end, { once: true });
  }
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', end);
    },
  };
}
