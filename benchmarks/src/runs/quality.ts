import type { Judgments } from '../corpus/judgments.js';
import { hitAt, ndcgAt, recallAt, reciprocalRankAt } from '../metrics/ranking.js';
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
