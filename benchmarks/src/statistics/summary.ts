import { bootstrapInterval, type Interval, type Runs, type Statistic } from './bootstrap.js';
import { mean, quantile, sortedQuantile } from './quantile.js';

/** What stands for raw samples. */
export type SummaryName = 'median' | 'mean' | 'p99';

/** What a table shows of raw samples. */
export interface Summary {
  /** The median, or what the metric says instead. */
  readonly value: number;
  /** 95 % bootstrap interval of `value`. */
  readonly interval: Interval;
  readonly p95: number;
  readonly p99: number;
  readonly samples: number;
}

export function summarise(runs: Runs, by: SummaryName): Summary {
  const samples = runs.flat();
  const value = statisticOf(by)(Float64Array.from(samples));
  return {
    value,
    interval: samples.length === 1 ? { low: value, high: value } : bootstrapInterval(runs, statisticOf(by)),
    p95: quantile(samples, 0.95),
    p99: quantile(samples, 0.99),
    samples: samples.length,
  };
}

/** What it gives may sort the array that it gets in place: much faster for the bootstrap. */
export function statisticOf(by: SummaryName): Statistic {
  if (by === 'mean') return mean;
  const at = by === 'median' ? 0.5 : 0.99;
  return (samples) => sortedQuantile(samples.sort(), at);
}
