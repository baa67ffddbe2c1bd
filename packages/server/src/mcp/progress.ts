import type { IndexProgress } from '@kettle/search';
import type { Call } from './method.js';

/** Least time between two notifications of one call, in milliseconds. */
const interval = 100;

/**
 * Passes progress on to a client that asked for it; undefined for one that did not.
 *
 * MCP wants a number that only grows. The documents embedded are that number, out of all and one for the search
 * itself. Whatever else happens meanwhile (a model loads, vectors are stored) moves it by a hundredth of what is
 * left: clients take every notification as a sign of life and wait on.
 */
export function reportProgress(call: Call): ((progress: IndexProgress) => void) | undefined {
  const { progressToken } = call;
  if (progressToken === undefined) return undefined;
  let total = 1;
  let last = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  return ({ phase, done, total: outOf, message }) => {
    const now = performance.now();
    if (now - sentAt < interval) return;
    sentAt = now;
    if (phase === 'embedding') total = outOf + 1;
    const step = last + (total - last) / 100;
    last = phase === 'embedding' ? Math.max(done, step) : step;
    const params = { progressToken, progress: last, total, message };
    call.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
