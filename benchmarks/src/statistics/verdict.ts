import type { Interval } from './bootstrap.js';

/**
 * - `smaller`, `larger`: different, and by enough to matter;
 * - `same`: any difference is too small to matter;
 * - `unclear`: the spread is too wide to tell.
 */
export type Verdict = 'smaller' | 'larger' | 'same' | 'unclear';

/** A difference of less than this share of the value is of no interest to anybody. */
export const relevantShare = 0.05;

/**
 * Judges the interval of a ratio (b to a) or of a difference.
 *
 * @param neutral the value that means "no difference": 1 for a ratio, 0 for a difference
 * @param margin differences up to this are of no interest
 */
export function verdict(interval: Interval, neutral: 0 | 1, margin: number = relevantShare): Verdict {
  const [low, high] = [neutral - margin, neutral + margin];
  if (interval.low >= low && interval.high <= high) return 'same';
  // Clear of "no difference", and at least in its middle clear of the margin too.
  const middle = (interval.low + interval.high) / 2;
  if (interval.high < neutral && middle < low) return 'smaller';
  if (interval.low > neutral && middle > high) return 'larger';
  return 'unclear';
}
