import * as Plot from '@observablehq/plot';
import { backendsOf, find, summaryOf } from '../figures.js';
import type { Draw } from '../plot.js';

const parts = [
  ['build_reading', 'reading, splitting, catalog', 'var(--c5)'],
  ['build_embedding', 'embedding', 'var(--c1)'],
  ['build_storing', 'storing', 'var(--c2)'],
] as const;

/** Where the time of an index build goes. */
export const buildPlot: Draw = (results, { narrow }) => {
  const rows = backendsOf(results).flatMap(({ name: backend }) =>
    parts.flatMap(([metric, part]) => {
      const found = find(results, metric, { backend, passages: results.corpus.passages });
      return found ? [{ backend, part, seconds: summaryOf(found).value / 1000 }] : [];
    }),
  );
  if (rows.length === 0) return undefined;
  const names = [...new Set(rows.map(({ backend }) => backend))];
  return {
    height: names.length * 40 + 70,
    marginBottom: 44,
    marginLeft: narrow ? 60 : 80,
    marginRight: 16,
    x: { label: 'seconds', labelAnchor: 'center', labelArrow: 'none', grid: true, ticks: narrow ? 4 : 8 },
    y: { label: null, domain: names, tickSize: 0, padding: 0.3 },
    color: { domain: parts.map(([, part]) => part), range: parts.map(([, , colour]) => colour) },
    marks: [
      Plot.barX(rows, { y: 'backend', x: 'seconds', fill: 'part' }),
      Plot.ruleX([0], { stroke: 'var(--ink)' }),
    ],
  };
};

/** The parts and their colours, for the legend. */
export const buildLegend = parts.map(([, part, colour]) => ({ name: part, colour }));
