import * as Plot from '@observablehq/plot';
import type { Labels, Results } from '../../results/results.js';
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
        built: isBuilt(results, labels),
        ms: summaryOf(query).value,
      },
    ];
  });
  if (rows.length === 0) return undefined;
  const names = [...new Set(rows.map(({ backend }) => backend))];
  // One point alone is no trade-off: the table has it.
  const sizes = grownSizes(results)
    .map(panelTitle)
    .filter((size) => rows.some((row) => row.size === size && row.settings !== 'presets'));
  const shown = rows
    .filter(({ size }) => sizes.includes(size))
    .map((row) => ({ ...row, place: stretched(row.recall) }));
  if (shown.length === 0) return undefined;
  const least = Math.min(0.9, ...shown.map(({ recall }) => recall));
  const { place: panel, scales, marks } = panels(view, 'size', sizes);
  const place = { ...panel, x: 'ms', y: 'place' };
  // The best recall to be had within a time: what a choice of settings can reach.
  const reachable = names.flatMap((backend) => sizes.flatMap((size) => frontierOf(shown, backend, size)));
  const presets = shown.filter(({ settings }) => settings === 'presets');
  return {
    ...scales,
    height: view.narrow ? sizes.length * 200 + 80 : 330,
    marginLeft: 46,
    marginRight: 16,
    marginBottom: 44,
    x: {
      ...logAxis(
        shown.map(({ ms }) => ms),
        'ms a query, median',
      ),
      labelAnchor: 'center',
    },
    y: {
      domain: [stretched(least) - 0.1, perfect + 0.25],
      label: 'recall@10',
      labelArrow: 'none',
      grid: true,
      ticks: recallTicks.filter((recall) => recall >= least).map(stretched),
      tickFormat: (at: number) => (at === perfect ? '1' : String(Number((1 - 10 ** -at).toFixed(4)))),
      tickSize: 3,
    },
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
      Plot.dot(
        shown.filter(({ built }) => !built),
        { ...place, fill: 'backend', symbol: 'backend', r: 3.2, fillOpacity: 0.85, title },
      ),
      Plot.dot(
        shown.filter(({ built }) => built),
        { ...place, stroke: 'backend', symbol: 'backend', r: 3.2, strokeWidth: 1.4, title },
      ),
      Plot.text(
        shown.filter(({ backend, settings }) => backend === names[0] && /^ef_search (16|64)$/.test(settings)),
        {
          ...place,
          text: ({ settings }: { settings: string }) => settings.replace('ef_search', 'ef'),
          textAnchor: 'start',
          dx: 8,
          dy: 6,
          fontSize: 10,
          fill: 'var(--ink)',
        },
      ),
      Plot.dot(presets, { ...place, stroke: 'var(--ink)', strokeWidth: 1.4, r: 6.5 }),
    ],
  };
};

/** Whether the store was filled with other settings than the presets: then filling it was measured. */
function isBuilt(results: Results, { backend, passages, settings = '' }: Labels): boolean {
  return settings
    .split(', ')
    .some((part) => part !== '' && find(results, 'build_storing', { backend, passages, settings: part }));
}

/** Where recall 1 stands, which has no place on the stretched axis: beyond 0.9999. */
const perfect = 4.3;
const recallTicks = [0.5, 0.8, 0.9, 0.99, 0.999, 1];

/** Each step is a tenth of the misses, so that 0.99 and 0.999 stand apart. */
function stretched(recall: number): number {
  return recall >= 1 ? perfect : Math.min(perfect - 0.1, -Math.log10(1 - recall));
}

function title({ backend, settings, recall }: Point & { readonly settings: string }): string {
  return `${backend}, ${settings}: ${recall.toFixed(3)}`;
}

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
