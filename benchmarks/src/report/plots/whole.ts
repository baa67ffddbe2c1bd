import * as Plot from '@observablehq/plot';
import type { Results } from '../../results/results.js';
import { searchModeNames } from '../../targets.js';
import { find, summaryOf } from '../figures.js';
import { type Draw, logAxis, passagesAxis } from '../plot.js';
import { wholeSizes } from '../whole-tables.js';

interface Row {
  readonly passages: number;
  readonly value: number;
  readonly series: string;
}

const palette = [1, 2, 3].map((index) => `var(--c${index})`);
const shapes = ['circle', 'square', 'triangle'];

/** Lines over the number of passages on log axes, each with its name at its end. */
function lines(rowsOf: (results: Results) => Row[], unit: string): Draw {
  return (results, { narrow }) => {
    const rows = rowsOf(results).filter(({ value }) => value > 0);
    const most = Math.max(...rows.map(({ passages }) => passages));
    if (rows.every(({ passages }) => passages === most)) return undefined;
    const names = [...new Set(rows.map(({ series }) => series))];
    const height = narrow ? 230 : 260;
    const values = rows.map(({ value }) => value);
    const place = { x: 'passages', y: 'value' };
    return {
      width: 340,
      height,
      marginLeft: 46,
      marginRight: 74,
      marginTop: 28,
      marginBottom: 44,
      x: passagesAxis(rows),
      y: { ...logAxis(values, unit), grid: true },
      color: { domain: names, range: palette },
      symbol: { domain: names, range: shapes },
      marks: [
        Plot.frame({ stroke: 'var(--line)' }),
        Plot.line(rows, { ...place, z: 'series', stroke: 'series', strokeWidth: 2 }),
        Plot.dot(rows, { ...place, fill: 'series', symbol: 'series', r: 4 }),
        Plot.text(
          apart(
            rows.filter(({ passages }) => passages === most),
            values,
            height,
          ),
          {
            ...place,
            text: 'series',
            dx: 8,
            textAnchor: 'start',
            fill: 'series',
          },
        ),
      ],
    };
  };
}

/** Moves what would stand on each other upwards: names of lines that end close together. */
function apart(ends: readonly Row[], values: readonly number[], height: number): Row[] {
  const lineHeight = 15;
  const range = Math.max(...values) / Math.min(...values);
  const step = range ** (lineHeight / (height - 72));
  let last = 0;
  return [...ends]
    .sort((a, b) => a.value - b.value)
    .map((row) => {
      last = Math.max(row.value, last * step);
      return { ...row, value: last };
    });
}

const queries = lines(
  (results) =>
    wholeSizes(results).flatMap((passages) =>
      searchModeNames.flatMap((mode) => {
        const found = find(results, 'whole_query', { passages, mode });
        return found ? [{ passages, series: mode, value: summaryOf(found).value }] : [];
      }),
    ),
  'ms',
);

const times = lines(
  (results) =>
    wholeSizes(results).flatMap((passages) =>
      (
        [
          ['first index', 'whole_total'],
          ['restart', 'whole_restart'],
          ['edit', 'whole_edit'],
        ] as const
      ).flatMap(([series, metric]) => {
        const found = find(results, metric, { passages });
        return found ? [{ passages, series, value: summaryOf(found).value / 1000 }] : [];
      }),
    ),
  'seconds',
);

export const wholePlots: readonly { readonly title: string; readonly draw: Draw }[] = [
  { title: 'First index, restart, and an edit until it is found', draw: times },
  { title: 'Median query time in each mode', draw: queries },
];
