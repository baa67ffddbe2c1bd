import * as Plot from '@observablehq/plot';
import type { MetricName } from '../../results/metric.js';
import { backendsOf, find, grownSizes, summaryOf } from '../figures.js';
import { colours, type Draw, logAxis, passagesAxis, symbols } from '../plot.js';

/** One quantity against the number of passages, both on log axes: a straight line is a power law. */
function growthOf(metric: MetricName, unit: string, scale: number): Draw {
  return (results, { narrow }) => {
    const rows = backendsOf(results).flatMap(({ name: backend }) =>
      grownSizes(results).flatMap((passages) => {
        const found = find(results, metric, {
          backend,
          passages,
          settings: undefined,
          ...(metric === 'query' ? { depth: 'vector', state: 'warm', clients: undefined } : {}),
        });
        const value = found ? summaryOf(found).value / scale : 0;
        return value > 0 ? [{ backend, passages, value }] : [];
      }),
    );
    if (rows.length === 0) return undefined;
    const names = [...new Set(rows.map(({ backend }) => backend))];
    return {
      // Two of these stand side by side where there is room.
      width: 340,
      height: narrow ? 220 : 250,
      marginLeft: 46,
      marginRight: 20,
      marginTop: 28,
      marginBottom: 44,
      x: passagesAxis(rows),
      y: {
        ...logAxis(
          rows.map(({ value }) => value),
          unit,
        ),
        grid: true,
      },
      color: colours(results, names),
      symbol: symbols(results, names),
      marks: [
        Plot.frame({ stroke: 'var(--line)' }),
        Plot.line(rows, { x: 'passages', y: 'value', z: 'backend', stroke: 'backend', strokeWidth: 2 }),
        Plot.dot(rows, { x: 'passages', y: 'value', fill: 'backend', symbol: 'backend', r: 4 }),
      ],
    };
  };
}

export const growthPlots: readonly { readonly title: string; readonly draw: Draw }[] = [
  { title: 'Time to store, by number of passages', draw: growthOf('build_storing', 'seconds', 1000) },
  { title: 'Median query time, by number of passages', draw: growthOf('query', 'ms', 1) },
  { title: 'Memory, by number of passages', draw: growthOf('memory', 'MiB', 2 ** 20) },
  { title: 'Disk, by number of passages', draw: growthOf('disk', 'MiB', 2 ** 20) },
];
