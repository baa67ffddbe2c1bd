import type { Interval, Runs, Statistic } from './bootstrap.js';
import { studentQuantile } from './student.js';

/** Runs, and the rounds they were made in, where that was recorded. */
export interface InRounds {
  readonly runs: Runs;
  /** Of each run: runs with the same number were made in the same interleaved round. */
  readonly rounds?: readonly number[];
}

export interface Ratio {
  /** Geometric mean of the processes' values of b, divided by that of a. */
  readonly value: number;
  /** Null where a side has a single process: that tells nothing about how processes differ. */
  readonly interval: Interval | null;
}

export interface RatioOptions {
  /** @default 0.95 */
  readonly confidence?: number;
  /**
   * Where rounds were not recorded: whether the i-th runs of both belong together, because they come from one process
   * or took turns. Unset: they don't.
   */
  readonly inTurn?: boolean;
}

/**
 * What a statistic is in another process like these: Student's t on the logarithms of the processes' own values, as
 * many observations as processes. How many samples each took doesn't matter for that: samples of one process share its
 * memory layout, its compiled code and its minute (Georges, Buytaert and Eeckhout, Statistically Rigorous Java
 * Performance Evaluation, 2007). Logarithms, because what slows a process down slows it down by a share.
 *
 * @returns null with a single process, or where a value is not above zero
 */
export function processInterval(runs: Runs, statistic: Statistic, confidence = 0.95): Interval | null {
  return exponential(meanInterval(logarithms(runs, statistic), confidence));
}

/**
 * `statistic(b) / statistic(a)` between processes. Where both have the same rounds (or processes), the ratio is taken
 * round by round, so that a slow minute cancels out: a paired t interval. Else the two-sample t interval with a common
 * variance (Student); with as many processes on both sides it hardly minds that the variances differ.
 */
export function processRatio(
  a: InRounds,
  b: InRounds,
  statistic: Statistic,
  options: RatioOptions = {},
): Ratio {
  const { confidence = 0.95 } = options;
  const [x, y] = [logarithms(a.runs, statistic), logarithms(b.runs, statistic)];
  const pairs = pairsOf(a, b, options.inTurn ?? false);
  const interval = pairs
    ? meanInterval(
        pairs.map(([i, j]) => y[j]! - x[i]!),
        confidence,
      )
    : differenceInterval(x, y, confidence);
  return { value: Math.exp(mean(y) - mean(x)), interval: exponential(interval) };
}

/** Interval of mean(y) − mean(x), of independent samples with a common variance; null with one on either side. */
export function differenceInterval(
  x: readonly number[],
  y: readonly number[],
  confidence = 0.95,
): Interval | null {
  if (x.length < 2 || y.length < 2) return null;
  const freedom = x.length + y.length - 2;
  const variance = (squares(x) + squares(y)) / freedom;
  return around(mean(y) - mean(x), variance * (1 / x.length + 1 / y.length), freedom, confidence);
}

function meanInterval(values: readonly number[], confidence: number): Interval | null {
  const freedom = values.length - 1;
  if (freedom < 1) return null;
  return around(mean(values), squares(values) / freedom / values.length, freedom, confidence);
}

function around(centre: number, variance: number, freedom: number, confidence: number): Interval | null {
  const half = studentQuantile((1 + confidence) / 2, freedom) * Math.sqrt(variance);
  return Number.isFinite(centre) && Number.isFinite(half)
    ? { low: centre - half, high: centre + half }
    : null;
}

/** Which runs belong together, all of both sides, or undefined. */
function pairsOf(a: InRounds, b: InRounds, inTurn: boolean): [number, number][] | undefined {
  if (a.runs.length !== b.runs.length) return undefined;
  if (!a.rounds || !b.rounds) return inTurn ? a.runs.map((_, index) => [index, index]) : undefined;
  if (new Set(a.rounds).size !== a.runs.length) return undefined;
  const pairs = a.rounds.map((round, index): [number, number] => [index, b.rounds!.indexOf(round)]);
  return pairs.every(([, index]) => index >= 0) ? pairs : undefined;
}

function logarithms(runs: Runs, statistic: Statistic): number[] {
  return runs.map((run) => Math.log(statistic(Float64Array.from(run))));
}

function exponential(interval: Interval | null): Interval | null {
  return interval && { low: Math.exp(interval.low), high: Math.exp(interval.high) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function squares(values: readonly number[]): number {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
}
