import { bootstrapInterval, type Interval, type Runs, type Statistic } from './bootstrap.js';
import { mean, quantile, sortedQuantile } from './quantile.js';

/** What a table shows of raw samples. */
export interface Summary {
  /** The median, or the mean where the metric says so. */
  readonly value: number;
  /** 95 % bootstrap interval of `value`. */
  readonly interval: Interval;
  readonly p95: number;
  readonly p99: number;
  readonly samples: number;
}

export function summarise(runs: Runs, by: 'median' | 'mean'): Summary {
  const samples = runs.flat();
  const value = by === 'mean' ? mean(samples) : quantile(samples, 0.5);
  return {
    value,
    interval: samples.length === 1 ? { low: value, high: value } : bootstrapInterval(runs, statisticOf(by)),
    p95: quantile(samples, 0.95),
    p99: quantile(samples, 0.99),
    samples: samples.length,
  };
}

/** The statistic for the bootstrap, which hands over arrays that may be sorted in place: that is much faster. */
export function statisticOf(by: 'median' | 'mean'): Statistic {
  return by === 'mean' ? mean : (samples) => sortedQuantile(samples.sort(), 0.5);
}
