import { formatValue } from '../report/format.js';
import { metrics } from '../results/metric.js';
import type { Change } from './change.js';
import type { Comparison, Missing } from './compare.js';

const headings = {
  worse: 'worse',
  better: 'better',
  changed: 'changed',
  alone: 'moved, but one process each, no verdict',
} as const;

/** The comparison for a terminal: what got worse first, then what got better; the rest is counted. */
export function comparisonText({ changes, targets, missing, onlyAfter, timesLeftOut }: Comparison): string {
  const lines: string[] = [];
  if (timesLeftOut) lines.push(`Times are not compared: ${timesLeftOut}.`, '');
  if (missing.length > 0)
    lines.push(`missing in the second, which is worse (${missing.length})`, ...missingLines(missing), '');
  for (const verdict of ['worse', 'better', 'changed', 'alone'] as const) {
    const found = [
      ...changes.filter((change) => change.verdict === verdict).map(lineOf),
      ...targets
        .filter((target) => target.verdict === verdict)
        .map(({ title }) => `  target ${verdict === 'worse' ? 'no longer met' : 'met now'}: ${title}`),
    ];
    if (found.length > 0) lines.push(`${headings[verdict]} (${found.length})`, ...found, '');
  }
  const count = (verdict: Change['verdict']) => changes.filter((change) => change.verdict === verdict).length;
  lines.push(`${count('same')} the same, ${count('unclear')} with too wide a spread to tell.`);
  if (onlyAfter.length > 0) lines.push(`Only in the second: ${onlyAfter.join('; ')}.`);
  return `${lines.join('\n')}\n`;
}

/** What is missing for one reason stands together: a backend that crashed is one event. */
function missingLines(missing: readonly Missing[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { key, backend, reason } of missing) {
    const group = reason === undefined ? key : `${backend ?? 'everything'}: ${reason}`;
    groups.set(group, [...(groups.get(group) ?? []), key]);
  }
  return [...groups].map(([group, keys]) =>
    keys[0] === group ? `  ${group}` : `  ${group} (${keys.length})`,
  );
}

function lineOf({ key, metric, title, by, before, after, interval }: Change): string {
  // The title says which percentile it is.
  const labels = key
    .slice(metric.length)
    .replace(/ (p95|p99|auroc|rejected)$/, '')
    .trim();
  const write = (value: number) =>
    by === 'difference' ? `${value >= 0 ? '+' : ''}${value.toFixed(3)}` : `×${value.toPrecision(3)}`;
  const range = interval ? `, 99 % interval ${write(interval.low)} to ${write(interval.high)}` : '';
  const { unit } = metrics[metric];
  return `  ${title} (${labels}): ${formatValue(before, unit)} → ${formatValue(after, unit)}${range}`;
}
