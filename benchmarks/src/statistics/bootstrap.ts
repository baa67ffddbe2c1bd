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
 * Confidence interval of a statistic by the percentile bootstrap, in two levels: first repetitions are drawn
 * with replacement, then samples inside each. So differences between processes widen the interval, which they
 * would not if all samples went into one pot. With a single repetition only the second level remains.
 */
export function bootstrapInterval(
  runs: Runs,
  statistic: Statistic,
  options: BootstrapOptions = {},
): Interval {
  const random = seededRandom(options.seed ?? 1);
  return intervalOf(options, () => statistic(resample(runs, random)));
}

/**
 * Confidence interval of `statistic(b) / statistic(a)`. The two are drawn independently.
 */
export function bootstrapRatio(
  a: Runs,
  b: Runs,
  statistic: Statistic,
  options: BootstrapOptions = {},
): Interval {
  const random = seededRandom(options.seed ?? 1);
  return intervalOf(options, () => {
    const floor = statistic(resample(a, random));
    return statistic(resample(b, random)) / floor;
  });
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
  const random = seededRandom(options.seed ?? 1);
  const differences = a.map((value, index) => b[index]! - value);
  return intervalOf(options, () => {
    let sum = 0;
    for (let i = 0; i < differences.length; i++)
      sum += differences[randomInteger(random, differences.length)]!;
    return sum / differences.length;
  });
}

function resample(runs: Runs, random: Random): Float64Array {
  const chosen = runs.map(() => runs[runs.length === 1 ? 0 : randomInteger(random, runs.length)]!);
  const drawn = new Float64Array(chosen.reduce((sum, run) => sum + run.length, 0));
  let next = 0;
  for (const run of chosen)
    for (let i = 0; i < run.length; i++) drawn[next++] = run[randomInteger(random, run.length)]!;
  return drawn;
}

function intervalOf(options: BootstrapOptions, draw: () => number): Interval {
  const { confidence = 0.95, resamples = 400 } = options;
  const values = Float64Array.from({ length: resamples }, draw).sort();
  const tail = (1 - confidence) / 2;
  return { low: sortedQuantile(values, tail), high: sortedQuantile(values, 1 - tail) };
}
