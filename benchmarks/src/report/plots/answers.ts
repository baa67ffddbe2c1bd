import * as Plot from '@observablehq/plot';
import { separation } from '../../metrics/unanswerable.js';
import { backendsOf, find } from '../figures.js';
import type { Draw } from '../plot.js';

/** Distance of the best hit for questions with and without an answer, and the ceiling that keeps 95 % of the first. */
export const answersPlot: Draw = (results, { narrow }) => {
  for (const { name: backend } of backendsOf(results)) {
    const [answerable, unanswerable] = [true, false].map((answerable) =>
      find(results, 'top_distance', { backend, answerable })?.runs.flat(),
    );
    if (!answerable || !unanswerable) continue;
    const rows = [
      ...answerable.map((distance) => ({ kind: 'with an answer', distance })),
      ...unanswerable.map((distance) => ({ kind: 'without', distance })),
    ];
    const { threshold } = separation(answerable, unanswerable);
    return {
      height: 200,
      marginBottom: 42,
      marginLeft: narrow ? 12 : 104,
      marginRight: 12,
      marginTop: 30,
      x: { label: 'cosine distance of the best hit', labelAnchor: 'center', labelArrow: 'none', nice: true },
      y: { axis: null },
      fy: { label: null, axis: narrow ? null : 'left', padding: 0.1, domain: ['with an answer', 'without'] },
      marks: [
        Plot.dot(
          rows,
          Plot.dodgeY('middle', {
            x: 'distance',
            fy: 'kind',
            fill: (row: { kind: string }) => (row.kind === 'without' ? 'var(--bad)' : 'var(--c1)'),
            fillOpacity: 0.75,
            r: narrow ? 1.7 : 2.4,
            padding: 0.4,
          }),
        ),
        Plot.ruleX([threshold], { stroke: 'var(--ink)', strokeDasharray: '3 3' }),
        Plot.text([threshold], {
          x: (value: number) => value,
          fy: () => 'with an answer',
          frameAnchor: 'top',
          dy: -16,
          text: () => 'keeps 95 %',
          fill: 'var(--ink)',
        }),
        ...(narrow
          ? [
              Plot.text(['with an answer', 'without'], {
                fy: (kind: string) => kind,
                text: (kind: string) => kind,
                frameAnchor: 'top-left',
                fill: 'var(--muted)',
              }),
            ]
          : []),
      ],
    };
  }
  return undefined;
};
