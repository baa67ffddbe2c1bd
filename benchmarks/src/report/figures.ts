import { type MetricName, metrics } from '../results/metric.js';
import type { Contender, Measurement, Results } from '../results/results.js';
import { select } from '../results/select.js';
import { type Summary, summarise } from '../statistics/summary.js';
import { formatQuality, formatValue } from './format.js';
import { blank } from './table.js';

/** The samples of one metric in one place, or undefined where nothing was measured. */
export function find(
  { measurements }: Results,
  metric: MetricName,
  labels: Parameters<typeof select>[2],
): Measurement | undefined {
  return select(measurements, metric, labels)[0];
}

export function summaryOf(measurement: Measurement): Summary {
  const known = summaries.get(measurement);
  if (known) return known;
  const { summary: by, spread } = metrics[measurement.metric];
  const summary = summarise(measurement.runs, by, spread);
  summaries.set(measurement, summary);
  return summary;
}

/** Bootstrapping is slow, and tables and plots ask for the same intervals again and again. */
const summaries = new WeakMap<Measurement, Summary>();

/** Value with its interval: `3.21 ms (3.10 to 3.35)`. */
export function withInterval(measurement: Measurement | undefined): string {
  if (!measurement) return blank;
  const { kind, unit } = metrics[measurement.metric];
  const write = (value: number) => (kind === 'quality' ? formatQuality(value) : formatValue(value, unit));
  const { value, interval } = summaryOf(measurement);
  return interval === null || interval.low === interval.high
    ? write(value)
    : `${write(value)} (${range(write(interval.low), write(interval.high))})`;
}

/** Value with the least and the most that was measured, for samples too few to say more: `310 /s (300 to 320)`. */
export function withRange(measurement: Measurement | undefined): string {
  if (!measurement) return blank;
  const { unit } = metrics[measurement.metric];
  const samples = measurement.runs.flat();
  const value = formatValue(summaryOf(measurement).value, unit);
  if (samples.length < 2) return value;
  const ends = [Math.min(...samples), Math.max(...samples)].map((sample) => formatValue(sample, unit));
  return `${value} (${range(ends[0]!, ends[1]!)})`;
}

/** `3.1 to 3.4`, with units only where they differ. */
function range(low: string, high: string): string {
  const unitOf = (text: string) => text.slice(text.search(/ [^ ]+$/) >>> 0);
  const unit = unitOf(high);
  return unitOf(low) === unit && unit !== ''
    ? `${low.slice(0, -unit.length)} to ${high.slice(0, -unit.length)}`
    : `${low} to ${high}`;
}

/** Value alone. */
export function plain(measurement: Measurement | undefined): string {
  if (!measurement) return blank;
  const { kind, unit } = metrics[measurement.metric];
  const { value } = summaryOf(measurement);
  return kind === 'quality' ? formatQuality(value) : formatValue(value, unit);
}

/** Depths from the bare store to the whole server, in that order. */
export const depthOrder = ['vector', 'bare', 'service', 'mcp-stdio', 'mcp-http'] as const;

/** The deepest way of asking that was measured for most people's client: stdio, else the service. */
export function searchLatency(results: Results, { name }: Contender): Measurement | undefined {
  for (const depth of ['mcp-stdio', 'service']) {
    const found = find(results, 'query', { backend: name, depth, state: 'warm', clients: undefined });
    if (found) return found;
  }
  return undefined;
}

export function backendsOf({ contenders }: Results): readonly Contender[] {
  return contenders.filter(({ kind }) => kind === 'backend');
}

/**
 * Sizes of the grown corpora, ascending. The corpus itself is none of them: what its size costs was measured in whole
 * indexes, not in stores alone.
 */
export function grownSizes({ corpus, measurements }: Results): number[] {
  const sizes = select(measurements, 'neighbour_recall')
    .map(({ labels }) => labels.passages ?? 0)
    .filter((size) => size !== corpus.passages);
  return [...new Set(sizes)].sort((a, b) => a - b);
}
