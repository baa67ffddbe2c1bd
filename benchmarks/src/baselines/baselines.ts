import type { Baseline } from './baseline.js';
import { bm25 } from './bm25.js';
import { wordMatch } from './word-match.js';

/** Ways of searching that need no vectors, to see what vectors are worth. */
export const baselines: readonly Baseline[] = Object.freeze([bm25, wordMatch]);
