import { setMaxListeners } from 'node:events';

/** Calls `listener` when the signal is aborted, until the returned function is called. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => {};
  // Any number of calls may share a signal; Node would warn of a leak at the eleventh.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
