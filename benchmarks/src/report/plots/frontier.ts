import * as Plot from '@observablehq/plot';
import { select } from '../../results/select.js';
import { mean } from '../../statistics/quantile.js';
import { find, grownSizes, summaryOf } from '../figures.js';
import { formatCount } from '../format.js';
import { colours, type Draw, logAxis, panels, symbols } from '../plot.js';

/** Recall against latency, one panel for each size: up and to the left is better. Each point is one setting. */
export const frontierPlot: Draw = (results, view) => {
  const rows = select(results.measurements, 'neighbour_recall').flatMap(({ labels, runs }) => {
    const query = find(results, 'query', {
      ...labels,
      settings: labels.settings,
      depth: 'vector',
      state: 'warm',
      clients: undefined,
    });
    if (!query) return [];
    return [
      {
        backend: labels.backend ?? '',
        size: panelTitle(labels.passages ?? 0),
        settings: labels.settings ?? 'presets',
        recall: mean(runs.flat()),
        ms: summaryOf(query).value,
      },
    ];
  });
  if (rows.length === 0) return undefined;
  const names = [...new Set(rows.map(({ backend }) => backend))];
  const sizes = grownSizes(results).map(panelTitle);
  const least = Math.min(0.95, Math.floor(Math.min(...rows.map(({ recall }) => recall)) * 20) / 20);
  const { place: panel, scales, marks } = panels(view, 'size', sizes);
  const place = { ...panel, x: 'ms', y: 'recall' };
  // The best recall to be had within a time: what a choice of settings can reach.
  const reachable = names.flatMap((backend) => sizes.flatMap((size) => frontierOf(rows, backend, size)));
  const presets = rows.filter(({ settings }) => settings === 'presets');
  return {
    ...scales,
    height: view.narrow ? sizes.length * 200 + 80 : 330,
    marginLeft: 46,
    marginRight: 16,
    marginBottom: 44,
    x: {
      ...logAxis(
        rows.map(({ ms }) => ms),
        'ms a query, median',
      ),
      labelAnchor: 'center',
    },
    y: { domain: [least, 1], label: 'recall@10', labelArrow: 'none', grid: true, ticks: 5, tickSize: 3 },
    color: colours(results, names),
    symbol: symbols(results, names),
    marks: [
      ...marks,
      Plot.line(reachable, {
        ...place,
        z: 'backend',
        stroke: 'backend',
        strokeOpacity: 0.6,
        curve: 'step-after',
      }),
      Plot.dot(rows, {
        ...place,
        fill: 'backend',
        symbol: 'backend',
        r: 3.2,
        fillOpacity: 0.85,
        title: (row: (typeof rows)[number]) => `${row.backend}, ${row.settings}: ${row.recall.toFixed(3)}`,
      }),
      Plot.dot(presets, { ...place, stroke: 'var(--ink)', strokeWidth: 1.4, r: 6.5 }),
    ],
  };
};

interface Point {
  readonly backend: string;
  readonly size: string;
  readonly recall: number;
  readonly ms: number;
}

function frontierOf<T extends Point>(rows: readonly T[], backend: string, size: string): T[] {
  let best = -1;
  return rows
    .filter((row) => row.backend === backend && row.size === size)
    .sort((a, b) => a.ms - b.ms || b.recall - a.recall)
    .filter(({ recall }) => {
      if (recall <= best) return false;
      best = recall;
      return true;
    });
}

function panelTitle(passages: number): string {
  return `${formatCount(passages)} passages`;
}
