/** Grades of one query's documents: 0 is not relevant, larger is more so. Documents not named count as 0. */
export type Grades = ReadonlyMap<string, number>;

/**
 * The ranking of documents that a list of passages implies: each document stands where its first passage does.
 */
export function documentRanking(hits: Iterable<{ readonly document: string }>): string[] {
  const seen = new Set<string>();
  for (const { document } of hits) seen.add(document);
  return [...seen];
}

/**
 * Share of the relevant documents (grade 1 or more) among the first `k`: 0 to 1.
 * The divisor is the number of relevant documents, also where that is more than `k`, as in trec_eval.
 */
export function recallAt(k: number, ranking: readonly string[], grades: Grades): number {
  const relevant = relevantCount(grades);
  if (relevant === 0) throw new RangeError('recall is not defined for a query without a relevant document');
  return ranking.slice(0, k).filter((document) => (grades.get(document) ?? 0) > 0).length / relevant;
}

/** The highest {@link recallAt} that any ranking reaches: min(k, relevant) / relevant. */
export function recallCeilingAt(k: number, grades: Grades): number {
  const relevant = relevantCount(grades);
  if (relevant === 0) throw new RangeError('recall is not defined for a query without a relevant document');
  return Math.min(k, relevant) / relevant;
}

/** 1 when a relevant document is among the first `k`, else 0. The mean over queries is the share that is helped. */
export function hitAt(k: number, ranking: readonly string[], grades: Grades): number {
  return ranking.slice(0, k).some((document) => (grades.get(document) ?? 0) > 0) ? 1 : 0;
}

/**
 * One divided by the rank of the first relevant document, 0 when none is among the first `k`. The mean over
 * queries is MRR@k.
 */
export function reciprocalRankAt(k: number, ranking: readonly string[], grades: Grades): number {
  const index = ranking.slice(0, k).findIndex((document) => (grades.get(document) ?? 0) > 0);
  return index === -1 ? 0 : 1 / (index + 1);
}

/**
 * Normalised discounted cumulative gain (Järvelin and Kekäläinen, 2002): 0 to 1.
 *
 * The gain of a document is its grade itself (linear, as in trec_eval and BEIR; not 2^grade − 1), the discount
 * at rank r is log2(r + 1), and the sum is divided by that of the best order possible.
 */
export function ndcgAt(k: number, ranking: readonly string[], grades: Grades): number {
  const ideal = [...grades.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
  if (ideal.length === 0) throw new RangeError('nDCG is not defined for a query without a relevant document');
  return (
    discountedGain(
      k,
      ranking.map((document) => grades.get(document) ?? 0),
    ) / discountedGain(k, ideal)
  );
}

function discountedGain(k: number, gains: readonly number[]): number {
  let sum = 0;
  gains.slice(0, k).forEach((gain, index) => {
    sum += gain / Math.log2(index + 2);
  });
  return sum;
}

function relevantCount(grades: Grades): number {
  let count = 0;
  for (const grade of grades.values()) if (grade > 0) count++;
  return count;
}
