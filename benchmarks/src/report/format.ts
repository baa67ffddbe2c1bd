import type { Metric } from '../results/metric.js';
import type { Ratio } from '../statistics/processes.js';

/** A value for people: three digits that count, and a unit of fitting size. */
export function formatValue(value: number, unit: Metric['unit']): string {
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'ms') return formatMilliseconds(value);
  if (unit === '1/s') return `${digits(value)}/s`;
  return digits(value);
}

/** 0 to 1, with three decimals, so that columns line up. */
export function formatQuality(value: number): string {
  return value.toFixed(3);
}

/** `1.70 (1.53 to 1.85)`; without an interval the value alone. */
export function ratioText({ value, interval }: Ratio): string {
  const range = interval && ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`;
  return `${value.toFixed(2)}${range ?? ''}`;
}

export function formatCount(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

function formatMilliseconds(value: number): string {
  if (value >= 60_000) return `${digits(value / 60_000)} min`;
  if (value >= 1000) return `${digits(value / 1000)} s`;
  if (value >= 0.1 || value === 0) return `${digits(value)} ms`;
  return `${digits(value * 1000)} µs`;
}

function formatBytes(value: number): string {
  const steps = ['B', 'KiB', 'MiB', 'GiB'];
  let [amount, step] = [value, 0];
  while (Math.abs(amount) >= 1024 && step < steps.length - 1) {
    amount /= 1024;
    step++;
  }
  return `${digits(amount)} ${steps[step]}`;
}

function digits(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 10_000) return String(value);
  if (Math.abs(value) >= 10_000) return formatCount(value);
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(places, 4));
}
