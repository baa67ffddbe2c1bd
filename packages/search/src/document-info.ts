/** A document as the folder holds it. */
export interface DocumentInfo {
  /** Path relative to the corpus folder, with `/` between folders. */
  readonly name: string;
  /** Bytes on disk. */
  readonly size: number;
  /** Time of the last modification, ISO 8601 in UTC. */
  readonly modified: string;
  /** Of the text: `text/plain` for a PDF too. */
  readonly mimeType: string;
  /** Passages in the index; absent while the document is not indexed. */
  readonly passages?: number;
}

/** A document with its text. */
export interface DocumentContent extends DocumentInfo {
  /** The whole text, exactly as the file decodes, without a byte order mark; of a PDF, the text that was read from it. */
  readonly text: string;
}
