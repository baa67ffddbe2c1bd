import * as Plot from '@observablehq/plot';
import { select } from '../../results/select.js';
import { depthTitles } from '../../runs/depths.js';
import { depthOrder, summaryOf } from '../figures.js';
import { colours, type Draw, panels, symbols } from '../plot.js';

/** Queries per second against the number of clients, one panel for each depth. */
export const concurrencyPlot: Draw = (results, view) => {
  const rows = select(results.measurements, 'throughput').map((measurement) => ({
    backend: measurement.labels.backend ?? '',
    depth: depthTitles[measurement.labels.depth ?? ''] ?? '',
    clients: measurement.labels.clients ?? 0,
    perSecond: summaryOf(measurement).value,
  }));
  if (rows.length === 0) return undefined;
  const names = [...new Set(rows.map(({ backend }) => backend))];
  const present = new Set(rows.map(({ depth }) => depth));
  const depths = depthOrder.map((depth) => depthTitles[depth]!).filter((title) => present.has(title));
  const counts = [...new Set(rows.map(({ clients }) => clients))].sort((a, b) => a - b);
  const { place: panel, scales, marks } = panels(view, 'depth', depths);
  const place = { ...panel, x: 'clients', y: 'perSecond' };
  return {
    ...scales,
    height: view.narrow ? depths.length * 180 + 80 : 280,
    marginLeft: 46,
    marginRight: 16,
    marginBottom: 44,
    x: {
      type: 'log',
      base: 2,
      ticks: counts,
      tickFormat: String,
      tickSize: 3,
      label: 'clients',
      labelAnchor: 'center',
      labelArrow: 'none',
    },
    y: {
      domain: [0, Math.max(...rows.map(({ perSecond }) => perSecond)) * 1.08],
      label: 'queries per second',
      labelArrow: 'none',
      grid: true,
      ticks: 5,
      tickSize: 3,
    },
    color: colours(results, names),
    symbol: symbols(results, names),
    marks: [
      ...marks,
      Plot.line(rows, { ...place, z: 'backend', stroke: 'backend', strokeWidth: 2 }),
      Plot.dot(rows, { ...place, fill: 'backend', symbol: 'backend', r: 4 }),
    ],
  };
};
