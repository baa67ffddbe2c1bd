import type { Labels, Measurement } from './results.js';
import { select } from './select.js';

/** How close the best hit of a question is: its distance, or where a way to search knows none, its score. */
export const bestHitMetrics = ['top_distance', 'top_score'] as const;

/** How far the best hits were from the questions of both kinds, as the way to search sees it: the less, the closer. */
export interface BestHits {
  /** Baselines know no distance: theirs are scores, with the sign turned. */
  readonly metric: (typeof bestHitMetrics)[number];
  readonly answerable: readonly number[];
  readonly unanswerable: readonly number[];
}

/** Undefined where they were not measured for questions of both kinds. */
export function bestHits(
  measurements: readonly Measurement[],
  labels: Partial<Labels>,
): BestHits | undefined {
  for (const metric of bestHitMetrics) {
    const [answerable, unanswerable] = [true, false].map((answerable) =>
      select(measurements, metric, { ...labels, answerable })[0]?.runs.flat(),
    );
    if (!answerable || !unanswerable) continue;
    const sign = metric === 'top_score' ? -1 : 1;
    const turned = (values: readonly number[]) => values.map((value) => sign * value);
    return { metric, answerable: turned(answerable), unanswerable: turned(unanswerable) };
  }
  return undefined;
}
