/** Up to here the highest are found by inserting each among those so far, above by sorting all. */
const mostInserted = 500;

/** Scores of passages, which go by their rows in `passages`. */
export class PassageScores {
  readonly #scores: Float64Array;
  readonly #passages: readonly number[];
  readonly #placeOf: ReadonlyMap<number, number>;

  /**
   * @param scores by place; 0 for passages that have no word of the query.
   * @param passages by place; more may be added later.
   */
  constructor(scores: Float64Array, passages: readonly number[], placeOf: ReadonlyMap<number, number>) {
    this.#scores = scores;
    this.#passages = passages;
    this.#placeOf = placeOf;
  }

  of(passage: number): number {
    const place = this.#placeOf.get(passage);
    return (place === undefined ? undefined : this.#scores[place]) ?? 0;
  }

  /**
   * Those with the highest scores, in no order: `most`, or more where several are equal to the last of them, since
   * which of these came first would depend on when they were indexed. Fewer where no more have a word.
   */
  best(most: number): number[] {
    const least = nthHighest(this.#scores, most);
    const found = [];
    for (let place = 0; place < this.#scores.length; place++) {
      const score = this.#scores[place]!;
      if (score > 0 && score >= least) found.push(this.#passages[place]!);
    }
    return found;
  }
}

/** 0 where there are not as many above it. */
function nthHighest(values: Float64Array, n: number): number {
  if (n > values.length) return 0;
  if (n > mostInserted) return values.slice().sort()[values.length - n]!;
  // The highest so far, ascending.
  const highest = new Float64Array(n);
  const last = highest.length - 1;
  for (const value of values) {
    if (value <= highest[0]!) continue;
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (highest[middle]! < value) low = middle;
      else high = middle - 1;
    }
    highest.copyWithin(0, 1, low + 1);
    highest[low] = value;
  }
  return highest[0]!;
}
