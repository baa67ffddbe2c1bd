/** How well the distance of the best hit tells questions with an answer from those without one. */
export interface Separation {
  /**
   * Chance that a question with an answer gets a smaller distance than one without (area under the ROC curve,
   * ties count half). 0.5 is no better than a coin, 1 tells all apart.
   */
  readonly auroc: number;
  /** The smallest ceiling on the distance that keeps at least 95 % of the questions with an answer. */
  readonly threshold: number;
  /** Share of the questions without an answer that this ceiling turns away. */
  readonly rejected: number;
}

/**
 * @param answerable distance of the best hit for each question that has an answer
 * @param unanswerable the same for the questions that have none
 */
export function separation(answerable: readonly number[], unanswerable: readonly number[]): Separation {
  if (answerable.length === 0 || unanswerable.length === 0)
    throw new RangeError('separation needs questions of both kinds');
  const sorted = [...answerable].sort((a, b) => a - b);
  const threshold = sorted[Math.ceil(0.95 * sorted.length) - 1]!;
  return {
    auroc: auroc(answerable, unanswerable),
    threshold,
    rejected: unanswerable.filter((distance) => distance > threshold).length / unanswerable.length,
  };
}

function auroc(smaller: readonly number[], larger: readonly number[]): number {
  let won = 0;
  for (const a of smaller) for (const b of larger) won += a < b ? 1 : a === b ? 0.5 : 0;
  return won / (smaller.length * larger.length);
}
