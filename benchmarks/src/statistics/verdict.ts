import type { Interval } from './bootstrap.js';

/**
 * - `smaller`, `larger`: different, and by more than the margin;
 * - `same`: any difference is smaller than the margin;
 * - `unclear`: the spread is too wide to tell, or nothing is known of it.
 */
export type Verdict = 'smaller' | 'larger' | 'same' | 'unclear';

/** A difference of less than this share of the value is of no interest to anybody. */
export const relevantShare = 0.05;

/**
 * Judges the interval of a ratio, b to a: only an interval that lies wholly on one side decides.
 *
 * @param margin share up to which a difference is of no interest; a ratio of 1.05 is as far from 1 as 1 / 1.05
 */
export function ratioVerdict(interval: Interval | null, margin: number = relevantShare): Verdict {
  return verdictOf(interval, 1 / (1 + margin), 1 + margin);
}

/** Judges the interval of a difference, b − a, in the same way. */
export function differenceVerdict(interval: Interval | null, margin: number): Verdict {
  return verdictOf(interval, -margin, margin);
}

function verdictOf(interval: Interval | null, least: number, most: number): Verdict {
  if (interval === null) return 'unclear';
  const { low, high } = interval;
  if (high < least) return 'smaller';
  if (low > most) return 'larger';
  return low >= least && high <= most ? 'same' : 'unclear';
}
