/** A passage that answers a query. */
export interface SearchHit {
  /** 1 for the best hit. */
  readonly rank: number;
  /** Name of the document: its path relative to the corpus folder. */
  readonly document: string;
  /** The passage as it was embedded: the document's title line where the passage lacks it, then its text. */
  readonly passage: string;
  /** Where the passage's own text starts in the document's text, in UTF-16 units. */
  readonly start: number;
  /** Where it ends (exclusive), in UTF-16 units: `passage` ends with `text.slice(start, end)`. */
  readonly end: number;
  /** The passage's place in its document, from 0. */
  readonly ordinal: number;
  /**
   * Cosine distance of query and passage, 1 − cos: 0 to 2, smaller is closer; the same in every backend and mode.
   * Hits ascend by it in mode `vector` only: words count too in `hybrid`, and they alone in `keyword`.
   */
  readonly distance: number;
  /** The document's MIME type. */
  readonly mimeType: string;
}
