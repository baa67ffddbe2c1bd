export interface TextDocument {
  readonly name: string;
  readonly text: string;
}

/** Names of documents, best first. Documents that share no word with the query are left out. */
export type Search = (query: string) => string[];

/** A way of searching that needs no vectors. */
export interface Baseline {
  readonly name: string;
  readonly summary: string;
  /** Indexes the documents. */
  build(documents: readonly TextDocument[]): Search;
}

/** Best first, ties by name, without those that scored nothing. */
export function ranked(scores: ReadonlyMap<string, number>): string[] {
  return [...scores]
    .filter(([, score]) => score > 0)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([name]) => name);
}
