import * as Plot from '@observablehq/plot';
import { find, summaryOf } from '../figures.js';
import { colours, type Draw, panels, symbols } from '../plot.js';

const shown = [
  ['recall_at_1', 'recall@1'],
  ['recall_at_5', 'recall@5'],
  ['ndcg_at_10', 'nDCG@10'],
  ['mrr_at_10', 'MRR@10'],
] as const;

/** Round numbers up to 1, without the left end, whose label would touch the panel before it. */
function qualityTicks(least: number): number[] {
  const step = least < 0.5 ? 0.2 : least < 0.8 ? 0.1 : 0.05;
  return [3, 2, 1, 0].map((k) => Number((1 - k * step).toFixed(2))).filter((tick) => tick > least + step / 2);
}

/** Mean and interval of each quality, one panel for each metric, one line for each way to search. */
export const qualityPlot: Draw = (results, view) => {
  const rows = shown.flatMap(([metric, title]) =>
    results.contenders.flatMap(({ name: backend }) => {
      const found = find(results, metric, { backend });
      if (!found) return [];
      const { value, interval } = summaryOf(found);
      return [{ backend, metric: title, value, low: interval?.low ?? value, high: interval?.high ?? value }];
    }),
  );
  if (rows.length === 0) return undefined;
  const names = [...new Set(rows.map(({ backend }) => backend))];
  const least = Math.floor(Math.min(...rows.map(({ low }) => low)) * 10) / 10;
  const { place, scales, marks } = panels(
    view,
    'metric',
    shown.map(([, title]) => title),
  );
  return {
    ...scales,
    height: view.narrow ? shown.length * (names.length * 20 + 44) + 60 : names.length * 22 + 90,
    marginLeft: 84,
    marginRight: 18,
    marginBottom: 30,
    x: { domain: [least, 1], label: null, ticks: qualityTicks(least), tickSize: 3, grid: true },
    y: { domain: names, label: null, tickSize: 0 },
    color: colours(results, names),
    symbol: symbols(results, names),
    marks: [
      ...marks,
      Plot.ruleY(rows, {
        ...place,
        y: 'backend',
        x1: 'low',
        x2: 'high',
        stroke: 'backend',
        strokeWidth: 2.5,
        strokeOpacity: 0.55,
      }),
      Plot.dot(rows, { ...place, y: 'backend', x: 'value', fill: 'backend', symbol: 'backend', r: 4.5 }),
    ],
  };
};
