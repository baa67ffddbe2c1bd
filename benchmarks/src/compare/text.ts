import { formatValue } from '../report/format.js';
import { type MetricName, metrics } from '../results/metric.js';
import type { Change, Comparison } from './compare.js';

/** The comparison for a terminal: what got worse first, then what got better; the rest is counted. */
export function comparisonText({ changes, onlyBefore, onlyAfter, timesLeftOut }: Comparison): string {
  const lines: string[] = [];
  if (timesLeftOut) lines.push(`Times are not compared: ${timesLeftOut}.`, '');
  for (const verdict of ['worse', 'better', 'changed'] as const) {
    const of = changes.filter((change) => change.verdict === verdict);
    if (of.length > 0) lines.push(`${verdict} (${of.length})`, ...of.map(lineOf), '');
  }
  const count = (verdict: Change['verdict']) => changes.filter((change) => change.verdict === verdict).length;
  lines.push(`${count('same')} the same, ${count('unclear')} with too wide a spread to tell.`);
  if (onlyBefore.length > 0) lines.push(`Only in the first: ${onlyBefore.join('; ')}.`);
  if (onlyAfter.length > 0) lines.push(`Only in the second: ${onlyAfter.join('; ')}.`);
  return `${lines.join('\n')}\n`;
}

function lineOf({ key, before, after, interval }: Change): string {
  const metric = key.split(' ', 1)[0] as MetricName;
  const { kind, unit, title } = metrics[metric];
  const labels = key.slice(metric.length).trim();
  const write = (value: number) =>
    kind === 'quality' ? `${value >= 0 ? '+' : ''}${value.toFixed(3)}` : `×${value.toPrecision(3)}`;
  const range = interval ? `, 99 % interval ${write(interval.low)} to ${write(interval.high)}` : '';
  return `  ${title} (${labels}): ${formatValue(before, unit)} → ${formatValue(after, unit)}${range}`;
}
