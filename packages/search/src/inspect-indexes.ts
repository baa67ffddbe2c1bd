import type { IndexSummary, UnreadableIndex } from './index-summary.js';

/**
 * What the folder of indexes holds: one entry for each model, most recent first. Reads only; safe while other
 * processes use them. A folder that does not exist gives an empty list.
 */
export async function inspectIndexes(_directory: string): Promise<(IndexSummary | UnreadableIndex)[]> {
  throw new Error('not there yet');
}
