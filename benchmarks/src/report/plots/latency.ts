import * as Plot from '@observablehq/plot';
import { depthTitles } from '../../runs/depths.js';
import { quantile } from '../../statistics/quantile.js';
import { backendsOf, depthOrder, find } from '../figures.js';
import { colours, type Draw, logAxis, panels, symbols } from '../plot.js';

const shares = Array.from({ length: 99 }, (_, index) => (index + 1) / 100);

/** Where a share stands: as far from 90 as 99 is from there, so that the tail can be read. */
function stretched(share: number): number {
  return -Math.log10(1 - share);
}

/** Every hundredth of the warm latencies: how long the fastest, the middle and the slowest questions take. */
export const latencyPlot: Draw = (results, view) => {
  const rows: { backend: string; depth: string; share: number; place: number; ms: number }[] = [];
  for (const { name: backend } of backendsOf(results)) {
    for (const depth of depthOrder) {
      const found = find(results, 'query', {
        backend,
        depth,
        state: 'warm',
        clients: undefined,
        passages: results.corpus.passages,
      });
      if (!found) continue;
      const samples = found.runs.flat().sort((a, b) => a - b);
      for (const share of shares)
        rows.push({
          backend,
          depth: depthTitles[depth]!,
          share: 100 * share,
          place: stretched(share),
          ms: quantile(samples, share),
        });
    }
  }
  if (rows.length === 0) return undefined;
  const names = [...new Set(rows.map(({ backend }) => backend))];
  const depths = [...new Set(rows.map(({ depth }) => depth))];
  const marked = rows.filter(({ share }) => [50, 95, 99].includes(Math.round(share)));
  const { place, scales, marks } = panels(view, 'depth', depths);
  return {
    ...scales,
    height: view.narrow ? depths.length * 160 + 80 : 290,
    marginLeft: 46,
    marginRight: 14,
    marginBottom: 44,
    x: {
      label: 'per cent of the questions answered within this time',
      labelAnchor: 'center',
      labelArrow: 'none',
      ticks: [0.5, 0.95, 0.99].map(stretched),
      tickFormat: (place: number) => String(Math.round(100 * (1 - 10 ** -place))),
      tickSize: 3,
      domain: [0, 2.06],
    },
    y: {
      ...logAxis(
        rows.map(({ ms }) => ms),
        'ms',
      ),
      grid: true,
    },
    color: colours(results, names),
    symbol: symbols(results, names),
    marks: [
      ...marks,
      Plot.line(rows, { ...place, x: 'place', y: 'ms', z: 'backend', stroke: 'backend', strokeWidth: 1.8 }),
      Plot.dot(marked, { ...place, x: 'place', y: 'ms', fill: 'backend', symbol: 'backend', r: 3.6 }),
    ],
  };
};
