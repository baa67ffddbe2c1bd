import {
  blockBootstrapInterval,
  bootstrapInterval,
  type Interval,
  type Runs,
  type Statistic,
} from './bootstrap.js';
import { processInterval } from './processes.js';
import { mean, quantile, sortedQuantile } from './quantile.js';

/** What stands for raw samples. */
export type SummaryName = 'median' | 'mean' | 'p99';

/**
 * What an interval speaks about: what would be found
 *
 * - in other `processes` like these;
 * - with other `questions` of the kind;
 * - at other `moments` of the process, where samples follow each other in time; in other processes, if several took part.
 */
export type SpreadName = 'processes' | 'questions' | 'moments';

/** What a table shows of raw samples. */
export interface Summary {
  /** The median, or what the metric says instead. */
  readonly value: number;
  /** 95 % interval of `value`; null where nothing is known of the spread: one process, or one sample. */
  readonly interval: Interval | null;
  readonly p95: number;
  readonly p99: number;
  readonly samples: number;
}

export function summarise(runs: Runs, by: SummaryName, spread: SpreadName): Summary {
  const samples = runs.flat();
  return {
    value: statisticOf(by)(Float64Array.from(samples)),
    interval: spreadOf(runs, statisticOf(by), spread),
    p95: quantile(samples, 0.95),
    p99: quantile(samples, 0.99),
    samples: samples.length,
  };
}

/** 95 % interval of a statistic, by what the samples can speak about; null where they can't. */
export function spreadOf(runs: Runs, statistic: Statistic, spread: SpreadName): Interval | null {
  if (spread === 'processes' || (spread === 'moments' && runs.length > 1))
    return processInterval(runs, statistic);
  const samples = runs.flat();
  if (samples.length < 2) return null;
  return (spread === 'questions' ? bootstrapInterval : blockBootstrapInterval)(samples, statistic);
}

/** What it gives may sort the array that it gets in place: much faster for the bootstrap. */
export function statisticOf(by: SummaryName): Statistic {
  if (by === 'mean') return mean;
  return percentile(by === 'median' ? 0.5 : 0.99);
}

/** May sort the array that it gets in place, too. */
export function percentile(q: number): Statistic {
  return (samples) => sortedQuantile(samples.sort(), q);
}
