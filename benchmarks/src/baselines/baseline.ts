export interface TextDocument {
  readonly name: string;
  readonly text: string;
}

export interface Scored {
  readonly name: string;
  /** Above 0; the higher the better, in the baseline's own units. */
  readonly score: number;
}

/** Documents, best first. Those that share no word with the query are left out. */
export type Search = (query: string) => Scored[];

/** A way of searching that needs no vectors. */
export interface Baseline {
  readonly name: string;
  readonly summary: string;
  /** Indexes the documents. */
  build(documents: readonly TextDocument[]): Search;
}

/** Best first, ties by name, without those that scored nothing. */
export function ranked(scores: ReadonlyMap<string, number>): Scored[] {
  return Array.from(scores, ([name, score]) => ({ name, score }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}
