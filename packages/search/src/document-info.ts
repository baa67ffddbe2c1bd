/** A document as the folder holds it. */
export interface DocumentInfo {
  /** Path relative to the corpus folder, with `/` between folders. */
  readonly name: string;
  /** Bytes on disk. */
  readonly size: number;
  /** Time of the last modification, ISO 8601 in UTC. */
  readonly modified: string;
  /** Such as `text/plain` or `text/markdown`. */
  readonly mimeType: string;
  /** Passages in the index; absent while the document is not indexed. */
  readonly passages?: number;
}

/** A document with its text. */
export interface DocumentContent extends DocumentInfo {
  /** The whole text, exactly as the file decodes; a byte order mark is dropped. */
  readonly text: string;
}
