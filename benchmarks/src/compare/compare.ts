import { type MetricName, metrics } from '../results/metric.js';
import type { Measurement, Results } from '../results/results.js';
import { keyOf } from '../results/select.js';
import {
  bootstrapPairedDifference,
  bootstrapRatio,
  type Interval,
  type Runs,
} from '../statistics/bootstrap.js';
import { mean, median } from '../statistics/quantile.js';
import { statisticOf } from '../statistics/summary.js';
import { differenceVerdict, ratioVerdict, type Verdict } from '../statistics/verdict.js';

export interface Change {
  /** Metric and labels. */
  readonly key: string;
  readonly title: string;
  readonly before: number;
  readonly after: number;
  /**
   * 99 % interval of the ratio after to before, or of the difference for qualities. Null where it was not needed:
   * the middle moved by less than the margin, or away from none at all.
   */
  readonly interval: Interval | null;
  readonly verdict: 'better' | 'worse' | 'changed' | 'same' | 'unclear';
}

export interface Comparison {
  readonly changes: readonly Change[];
  /** What only one of the two has. */
  readonly onlyBefore: readonly string[];
  readonly onlyAfter: readonly string[];
  /** Why times were left out, or undefined when they were compared. */
  readonly timesLeftOut: string | undefined;
}

/** Hundreds of comparisons are made at once, so one in twenty by chance would be far too many. */
const strict = { confidence: 0.99, resamples: 1000 };
/** Qualities are compared to a hundredth: a smaller change concerns next to no question. */
const qualityMargin = 0.01;
/** Two runs whose fixed arithmetic differs by more than this share did not have the same machine to themselves. */
const calibrationMargin = 0.1;

/**
 * What changed from one run to another beyond noise.
 *
 * Times are held against each other only when both runs had the same machine at the same pace; qualities question
 * by question; sizes and counts as they are.
 */
export function compareResults(before: Results, after: Results): Comparison {
  const timesLeftOut = reasonAgainstTimes(before, after);
  const later = new Map(after.measurements.map((measurement) => [keyOf(measurement), measurement]));
  const earlier = new Map(before.measurements.map((measurement) => [keyOf(measurement), measurement]));
  const changes: Change[] = [];
  for (const [key, measurement] of earlier) {
    const counterpart = later.get(key);
    const { kind } = metrics[measurement.metric];
    if (!counterpart || measurement.metric === 'calibration' || (kind === 'time' && timesLeftOut)) continue;
    changes.push(changeOf(key, measurement, counterpart, sameQuestions(before, after)));
  }
  return {
    changes,
    onlyBefore: [...earlier.keys()].filter((key) => !later.has(key)),
    onlyAfter: [...later.keys()].filter((key) => !earlier.has(key)),
    timesLeftOut,
  };
}

function changeOf(key: string, { metric, runs }: Measurement, after: Measurement, paired: boolean): Change {
  const { title, kind, better, summary } = metrics[metric];
  const statistic = statisticOf(summary);
  const values = { before: statistic(samplesOf(runs)), after: statistic(samplesOf(after.runs)) };
  const change =
    kind === 'quality' ? qualityChange(runs, after.runs, paired) : ratioChange(metric, runs, after.runs);
  return { key, title, ...values, interval: change.interval, verdict: worth(change.verdict, better) };
}

interface Judged {
  readonly interval: Interval | null;
  readonly verdict: Verdict;
}

/** Where the middle has not moved by more than the margin there is nothing to look into. */
const nothing: Judged = { interval: null, verdict: 'same' };

function qualityChange(before: Runs, after: Runs, paired: boolean): Judged {
  const [a, b] = [before.flat(), after.flat()];
  if (Math.abs(mean(b) - mean(a)) <= qualityMargin) return nothing;
  const interval =
    paired && a.length === b.length
      ? bootstrapPairedDifference(a, b, strict)
      : differenceOf(bootstrapRatio(before, after, mean, strict), mean(a));
  return { interval, verdict: differenceVerdict(interval, qualityMargin) };
}

function ratioChange(metric: MetricName, before: Runs, after: Runs): Judged {
  const margin = marginOf(metric, before, after);
  const statistic = statisticOf(metrics[metric].summary);
  const [a, b] = [statistic(samplesOf(before)), statistic(samplesOf(after))];
  // Counts that should be none have no ratio.
  if (a === 0) return b === 0 ? nothing : { interval: null, verdict: 'larger' };
  if (Math.abs(Math.log(b / a)) <= Math.log(1 + margin)) return nothing;
  const interval = bootstrapRatio(before, after, statistic, strict);
  return { interval, verdict: ratioVerdict(interval, margin) };
}

function samplesOf(runs: Runs): Float64Array {
  return Float64Array.from(runs.flat());
}

const memories: ReadonlySet<MetricName> = new Set(['memory', 'whole_memory', 'whole_peak_memory']);

/** The fewer samples and processes a time comes from, the less is known of how it varies between them. */
function marginOf(metric: MetricName, before: Runs, after: Runs): number {
  if (memories.has(metric)) return 0.25;
  // One long block is many samples, and a run has only a few such blocks.
  if (metric === 'whole_lag') return 0.5;
  if (metrics[metric].kind !== 'time') return 0.05;
  const samples = Math.min(before.flat().length, after.flat().length);
  if (samples < 5) return 0.5;
  return Math.min(before.length, after.length) > 1 ? 0.1 : 0.25;
}

function differenceOf({ low, high }: Interval, before: number): Interval {
  return { low: (low - 1) * before, high: (high - 1) * before };
}

function worth(judged: Verdict, better: 'lower' | 'higher' | 'neither'): Change['verdict'] {
  if (judged === 'same' || judged === 'unclear') return judged;
  if (better === 'neither') return 'changed';
  return (judged === 'smaller') === (better === 'lower') ? 'better' : 'worse';
}

function sameQuestions(before: Results, after: Results): boolean {
  return before.corpus.answerable.join('\n') === after.corpus.answerable.join('\n');
}

function reasonAgainstTimes(before: Results, after: Results): string | undefined {
  const [a, b] = [before.method.machine, after.method.machine];
  for (const key of ['cpu', 'cores', 'node', 'system'] as const)
    if (a[key] !== b[key]) return `the machines differ (${key}: ${a[key]} and ${b[key]})`;
  const ratio = calibrationOf(after) / calibrationOf(before);
  if (Math.abs(Math.log(ratio)) > Math.log(1 + calibrationMargin))
    return `the machine did a fixed amount of arithmetic in ${ratio.toFixed(2)} times the time: something else was running`;
  return undefined;
}

function calibrationOf({ measurements }: Results): number {
  const runs = measurements.find(({ metric }) => metric === 'calibration')?.runs.flat();
  return runs && runs.length > 0 ? median(runs) : 1;
}
