import { type MetricName, metrics } from '../results/metric.js';
import type { Measurement } from '../results/results.js';
import {
  blockBootstrapRatio,
  bootstrapPairedDifference,
  type Interval,
  type Runs,
  type Statistic,
} from '../statistics/bootstrap.js';
import { differenceInterval, processRatio } from '../statistics/processes.js';
import { mean } from '../statistics/quantile.js';
import { percentile, statisticOf } from '../statistics/summary.js';
import { differenceVerdict, ratioVerdict, type Verdict } from '../statistics/verdict.js';

export interface Change {
  /** Metric and labels, and the percentile where it is not what tables show. */
  readonly key: string;
  readonly metric: MetricName;
  readonly title: string;
  /** Qualities and shares by their difference, the rest by its ratio. */
  readonly by: 'ratio' | 'difference';
  readonly before: number;
  readonly after: number;
  /**
   * 99 % interval of the ratio after to before, or of the difference. Null where it was not needed (the middle moved by
   * less than the margin, or the value is exact), and where there is none (one process).
   */
  readonly interval: Interval | null;
  /** `alone`: moved, but measured in one process on a side, which decides nothing. */
  readonly verdict: 'better' | 'worse' | 'changed' | 'same' | 'unclear' | 'alone';
}

/** Hundreds of comparisons are made at once, so one in twenty by chance would be far too many. */
export const strict = { confidence: 0.99, resamples: 1000 };
/** Qualities are compared to a hundredth: a smaller change concerns next to no question. */
export const qualityMargin = 0.01;

/** What became of one measurement: of the value that tables show, and of the tail of times. */
export function changesOf(key: string, before: Measurement, after: Measurement): Change[] {
  const { kind, better, summary, title } = metrics[before.metric];
  const change = (statistic: Statistic, name: string, judged: Judged): Change => ({
    key: `${key}${name}`,
    metric: before.metric,
    title: `${title}${name}`,
    by: kind === 'quality' ? 'difference' : 'ratio',
    before: statistic(samplesOf(before.runs)),
    after: statistic(samplesOf(after.runs)),
    interval: judged.interval,
    verdict: judged.verdict === 'alone' ? 'alone' : worth(judged.verdict, better),
  });
  const shown = statisticOf(summary);
  if (kind === 'quality') return [change(shown, '', qualityChange(before.runs, after.runs))];
  return [
    change(shown, '', ratioChange(before, after, shown, marginOf(before.metric))),
    ...tailsOf(before, after).map(({ name, statistic, margin }) =>
      change(statistic, name, ratioChange(before, after, statistic, margin)),
    ),
  ];
}

export function worth(judged: Verdict, better: 'lower' | 'higher' | 'neither'): Change['verdict'] {
  if (judged === 'same' || judged === 'unclear') return judged;
  if (better === 'neither') return 'changed';
  return (judged === 'smaller') === (better === 'lower') ? 'better' : 'worse';
}

interface Judged {
  readonly interval: Interval | null;
  readonly verdict: Verdict | 'alone';
}

/** Where the middle has not moved by more than the margin there is nothing to look into. */
const nothing: Judged = { interval: null, verdict: 'same' };

function qualityChange(before: Runs, after: Runs): Judged {
  const [a, b] = [before.flat(), after.flat()];
  if (Math.abs(mean(b) - mean(a)) <= qualityMargin) return nothing;
  const interval =
    a.length === b.length
      ? bootstrapPairedDifference(a, b, strict)
      : differenceInterval(a, b, strict.confidence);
  return { interval, verdict: differenceVerdict(interval, qualityMargin) };
}

function ratioChange(before: Measurement, after: Measurement, statistic: Statistic, margin: number): Judged {
  const { metric } = before;
  const [a, b] = [statistic(samplesOf(before.runs)), statistic(samplesOf(after.runs))];
  // Counts that should be none have no ratio.
  if (a === 0 || b === 0)
    return a === b ? nothing : { interval: null, verdict: b > a ? 'larger' : 'smaller' };
  if (Math.abs(Math.log(b / a)) <= Math.log(1 + margin)) return nothing;
  if (isExact(metric)) return { interval: null, verdict: b > a ? 'larger' : 'smaller' };
  const interval = ratioInterval(before, after, statistic);
  return interval ? { interval, verdict: ratioVerdict(interval, margin) } : { interval, verdict: 'alone' };
}

/** The two runs never take turns with each other, so that nothing is paired. */
function ratioInterval(
  { metric, runs }: Measurement,
  after: Measurement,
  statistic: Statistic,
): Interval | null {
  const [a, b] = [runs.flat(), after.runs.flat()];
  const alone = Math.min(runs.length, after.runs.length) === 1;
  if (metrics[metric].spread === 'moments' && alone)
    return Math.min(a.length, b.length) > 1 ? blockBootstrapRatio(a, b, statistic, strict) : null;
  return processRatio({ runs }, { runs: after.runs }, statistic, strict).interval;
}

function samplesOf(runs: Runs): Float64Array {
  return Float64Array.from(runs.flat());
}

const memories: ReadonlySet<MetricName> = new Set(['memory', 'whole_memory', 'whole_peak_memory']);

/** What files occupy and what is counted doesn't depend on the mood of a machine: the numbers themselves decide. */
function isExact(metric: MetricName): boolean {
  const { kind } = metrics[metric];
  return kind === 'count' || (kind === 'size' && !memories.has(metric));
}

/** The share that a value may move: what it takes for anybody to care, and what differs from day to day. */
function marginOf(metric: MetricName): number {
  if (memories.has(metric)) return 0.25;
  if (metrics[metric].spread === 'moments') return 0.5;
  return metrics[metric].kind === 'time' ? 0.1 : 0.05;
}

/** Percentiles that what is shown of a time doesn't tell, where each process took enough samples for them. */
function tailsOf(before: Measurement, after: Measurement) {
  const { kind, summary } = metrics[before.metric];
  if (kind !== 'time' || summary !== 'median') return [];
  const least = Math.min(...[...before.runs, ...after.runs].map((run) => run.length));
  return [
    { name: ' p95', statistic: percentile(0.95), margin: 0.25, needs: 20 },
    { name: ' p99', statistic: percentile(0.99), margin: 0.5, needs: 100 },
  ].filter(({ needs }) => least >= needs);
}
