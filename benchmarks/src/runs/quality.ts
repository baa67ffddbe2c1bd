import type { Judgments } from '../corpus/judgments.js';
import { hitAt, ndcgAt, recallAt, reciprocalRankAt } from '../metrics/ranking.js';
import type { bestHitMetrics } from '../results/best-hits.js';
import type { Labels, Measurement } from '../results/results.js';

/**
 * Quality of rankings of documents, one sample for each question that has an answer, in the order of
 * {@link Judgments.answerable}. None without judgments.
 */
export function qualityOf(
  { answerable }: Judgments,
  rankings: ReadonlyMap<string, readonly string[]>,
  labels: Labels,
): Measurement[] {
  if (answerable.size === 0) return [];
  const judged = [...answerable].map(([id, grades]) => ({ ranking: rankings.get(id) ?? [], grades }));
  return [
    {
      metric: 'recall_at_1',
      labels,
      runs: [judged.map(({ ranking, grades }) => recallAt(1, ranking, grades))],
    },
    {
      metric: 'recall_at_5',
      labels,
      runs: [judged.map(({ ranking, grades }) => recallAt(5, ranking, grades))],
    },
    { metric: 'hit_at_5', labels, runs: [judged.map(({ ranking, grades }) => hitAt(5, ranking, grades))] },
    {
      metric: 'ndcg_at_10',
      labels,
      runs: [judged.map(({ ranking, grades }) => ndcgAt(10, ranking, grades))],
    },
    {
      metric: 'mrr_at_10',
      labels,
      runs: [judged.map(({ ranking, grades }) => reciprocalRankAt(10, ranking, grades))],
    },
  ];
}

/** The best hit of each question, those with an answer and those without. None where there are not both. */
export function bestHitsOf(
  metric: (typeof bestHitMetrics)[number],
  { answerable, unanswerable }: Judgments,
  best: ReadonlyMap<string, number>,
  labels: Labels,
): Measurement[] {
  if (answerable.size === 0 || unanswerable.size === 0) return [];
  const of = (ids: Iterable<string>) => [Array.from(ids, (id) => best.get(id)!)];
  return [
    { metric, labels: { ...labels, answerable: true }, runs: of(answerable.keys()) },
    { metric, labels: { ...labels, answerable: false }, runs: of(unanswerable) },
  ];
}
