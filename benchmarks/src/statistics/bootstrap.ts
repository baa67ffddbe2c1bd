import { type Random, randomInteger, seededRandom } from '../random.js';
import { sortedQuantile } from './quantile.js';

/** Raw samples, one list for each repetition. A repetition is one fresh process. */
export type Runs = readonly (readonly number[])[];

/** A single number that stands for samples: their median, mean, or a percentile. May reorder what it gets. */
export type Statistic = (samples: Float64Array) => number;

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /** @default 0.95 */
  readonly confidence?: number;
  /** @default 400 */
  readonly resamples?: number;
  /** @default 1 */
  readonly seed?: number;
}

/**
 * Confidence interval of a statistic by the percentile bootstrap (Efron and Tibshirani, An Introduction to the
 * Bootstrap, 1993, chapter 13), for samples that are independent of each other, such as one for each question. It
 * speaks about other questions, not about other processes.
 */
export function bootstrapInterval(
  samples: readonly number[],
  statistic: Statistic,
  options: BootstrapOptions = {},
): Interval {
  const random = seededRandom(options.seed ?? 1);
  return intervalOf(options, () => statistic(redrawn(samples, 1, random)));
}

/**
 * Confidence interval of the mean of `b[i] − a[i]`, where `i` is the same question in both: pairs are drawn
 * together, so that easy and hard questions don't count as noise.
 */
export function bootstrapPairedDifference(
  a: readonly number[],
  b: readonly number[],
  options: BootstrapOptions = {},
): Interval {
  if (a.length !== b.length)
    throw new RangeError(`pairs need equal lengths, got ${a.length} and ${b.length}`);
  const differences = a.map((value, index) => b[index]! - value);
  const mean = (drawn: Float64Array) => drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
  return bootstrapInterval(differences, mean, options);
}

/**
 * Confidence interval of a statistic of samples that follow each other in time: a server that hangs delays many pings
 * in a row, which are one event and not many. So whole stretches are drawn, from the circle that the samples make
 * (circular block bootstrap: Politis and Romano 1992), twice √n of them long: longer than the n^(1/3) that is best for
 * a mean (Künsch 1989), because a stretch has to hold a whole hang.
 *
 * It speaks about other moments of the same process, not about other processes.
 */
export function blockBootstrapInterval(
  samples: readonly number[],
  statistic: Statistic,
  options: BootstrapOptions = {},
): Interval {
  const random = seededRandom(options.seed ?? 1);
  return intervalOf(options, () => statistic(redrawn(samples, blockLength(samples.length), random)));
}

/** The same for `statistic(b) / statistic(a)`; the two are drawn independently. */
export function blockBootstrapRatio(
  a: readonly number[],
  b: readonly number[],
  statistic: Statistic,
  options: BootstrapOptions = {},
): Interval {
  const random = seededRandom(options.seed ?? 1);
  return intervalOf(options, () => {
    const floor = statistic(redrawn(a, blockLength(a.length), random));
    return statistic(redrawn(b, blockLength(b.length), random)) / floor;
  });
}

/** Percentile interval of what `draw` gives, drawn again and again. */
export function intervalOf(options: BootstrapOptions, draw: () => number): Interval {
  const { confidence = 0.95, resamples = 400 } = options;
  const values = Float64Array.from({ length: resamples }, draw).sort();
  const tail = (1 - confidence) / 2;
  return { low: sortedQuantile(values, tail), high: sortedQuantile(values, 1 - tail) };
}

function blockLength(samples: number): number {
  return Math.ceil(2 * Math.sqrt(samples));
}

/** As many samples again, in stretches of `length` that start anywhere and go round the end. */
function redrawn(samples: readonly number[], length: number, random: Random): Float64Array {
  const drawn = new Float64Array(samples.length);
  for (let next = 0; next < drawn.length; ) {
    const start = randomInteger(random, samples.length);
    for (let i = 0; i < length && next < drawn.length; i++)
      drawn[next++] = samples[(start + i) % samples.length]!;
  }
  return drawn;
}
