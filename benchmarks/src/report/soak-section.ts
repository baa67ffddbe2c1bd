import * as Plot from '@observablehq/plot';
import type { Results } from '../results/results.js';
import type { Soak } from '../results/soak.js';
import { formatCount, formatValue } from './format.js';
import { type Draw, render } from './plot.js';
import type { Section } from './section.js';
import type { Table } from './table.js';

/** Many clients on one HTTP server for some minutes: whether it stays fast, right and the same size. */
export function soakSection(results: Results, soak: Soak): Section {
  const { settings, sessions, perSecond, errors, date, commit } = soak;
  const caption = 'Memory of the server, in the course of the test.';
  const picture = render(results, memoryPlot(soak), caption);
  return {
    id: 'soak',
    title: 'Minutes under load',
    paragraphs: [
      verdictOf(soak),
      ...memoryVerdict(soak),
      `${settings.clients} clients on one HTTP server for ${settings.minutes} minutes (${settings.backend}): ${formatCount(sessions)} sessions, ${formatCount(perSecond)} requests a second, ${errors.count === 0 ? 'no errors' : `${formatCount(errors.count)} errors`}. A test of its own, on ${date.slice(0, 10)}${commit === null ? '' : ` at commit ${commit}`}.`,
    ],
    figures: picture ? [{ caption, picture, legend: [] }] : [],
    tables: [requestsTable(soak), ...(errors.count === 0 ? [] : [errorsTable(soak)])],
  };
}

/** What the test says of itself, and whatever went wrong in any case. */
function verdictOf({ passed, reasons, errors, sessionsLeft, exitCode }: Soak): string {
  if (reasons && reasons.length > 0) return `Failed: ${reasons.join(' ')}`;
  const wrong = [
    ...(errors.count > 0 ? [`${formatCount(errors.count)} requests failed`] : []),
    ...(sessionsLeft > 0 ? [`the server kept ${formatCount(sessionsLeft)} sessions that had ended`] : []),
    ...(exitCode === 0
      ? []
      : [exitCode === null ? 'the server did not end by itself' : `the server ended with ${exitCode}`]),
  ];
  if (wrong.length > 0) return `Failed: ${wrong.join('; ')}.`;
  if (passed === false) return 'Failed, by the test’s own rules.';
  const clean = 'o request failed, no session was left over, and the server ended cleanly.';
  return passed ? `Passed: n${clean}` : `N${clean}`;
}

/** Above this share of its mean a minute, in the second half, memory counts as still growing. */
const flatWithin = 0.05;

function memoryVerdict({ rss, rssSlope, settings }: Soak): string[] {
  const half = rss.slice(rss.length >> 1);
  if (half.length === 0) return [];
  const mean = half.reduce((sum, { bytes }) => sum + bytes, 0) / half.length;
  const share = rssSlope / mean;
  const verdict = share > flatWithin ? 'was still growing' : 'was not growing';
  const short =
    share > flatWithin && settings.minutes < 4
      ? ' A run of less than four minutes can’t tell whether it would have gone on.'
      : '';
  return [
    `Memory ${verdict} at the end: in the second half by ${(100 * share).toFixed(1)} % of its mean a minute; up to ${100 * flatWithin} % counts as flat.${short}`,
  ];
}

function requestsTable({ requests, rss, rssSlope }: Soak): Table {
  const [first, last] = [rss.at(0), rss.at(-1)];
  return {
    title: 'Requests',
    columns: ['request', 'count', 'p50', 'p95', 'p99'],
    names: 1,
    rows: requests.map(({ kind, count, p50, p95, p99 }) => [
      kind,
      formatCount(count),
      formatValue(p50, 'ms'),
      formatValue(p95, 'ms'),
      formatValue(p99, 'ms'),
    ]),
    ...(first && last
      ? {
          note: `As clients see them. The server's memory went from ${formatValue(first.bytes, 'bytes')} to ${formatValue(last.bytes, 'bytes')}, at most ${formatValue(
            rss.reduce((most, { bytes }) => Math.max(most, bytes), 0),
            'bytes',
          )}; in the second half it ${rssSlope < 0 ? 'shrank' : 'grew'} by ${formatValue(Math.abs(rssSlope), 'bytes')} a minute.`,
        }
      : {}),
  };
}

function errorsTable({ errors }: Soak): Table {
  return {
    title: 'Errors',
    columns: ['error', 'count'],
    names: 1,
    rows: errors.kinds.map(({ message, count }) => [message, formatCount(count)]),
  };
}

function memoryPlot({ rss }: Soak): Draw {
  return (_, { narrow }) => {
    if (rss.length < 2) return undefined;
    const rows = rss.map(({ seconds, bytes }) => ({ seconds, size: bytes / 2 ** 20 }));
    return {
      height: narrow ? 200 : 220,
      marginLeft: 50,
      marginBottom: 40,
      marginTop: 28,
      x: { label: 'seconds', labelAnchor: 'center', labelArrow: 'none' },
      y: {
        domain: [0, Math.max(...rows.map(({ size }) => size)) * 1.1],
        label: 'MiB',
        labelArrow: 'none',
        grid: true,
        ticks: 5,
      },
      marks: [Plot.line(rows, { x: 'seconds', y: 'size', stroke: 'var(--c1)', strokeWidth: 2 })],
    };
  };
}
