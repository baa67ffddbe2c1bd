import type { IndexProgress } from '@kettle/search';
import type { Call } from './method.js';

/** Least time between two notifications of one call, in milliseconds. */
const interval = 100;

/**
 * Passes progress on to a client that asked for it; undefined for one that did not. Each phase of the work counts
 * from 0 again but MCP wants a number that only grows: phases that are over keep counting.
 */
export function reportProgress(call: Call): ((progress: IndexProgress) => void) | undefined {
  const { progressToken } = call;
  if (progressToken === undefined) return undefined;
  let phase: string | undefined;
  let before = 0;
  let total = 0;
  let last = -1;
  let sentAt = 0;
  return (report) => {
    if (report.phase !== phase) {
      before += total;
      phase = report.phase;
      sentAt = 0;
    }
    total = report.total;
    const progress = before + report.done;
    const now = performance.now();
    if (progress <= last || (now - sentAt < interval && report.done < report.total)) return;
    last = progress;
    sentAt = now;
    const params = { progressToken, progress, total: before + total, message: report.message };
    call.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}
