/** A file that is not in the index, or only in an older state, and why. */
export interface FileNotice {
  /** Path relative to the corpus folder; ends in `/` for a folder. */
  readonly name: string;
  readonly reason: string;
}

/** What one synchronisation did. */
export interface SyncReport {
  /** Documents that are new. */
  readonly added: number;
  /** Documents whose content changed. */
  readonly changed: number;
  /** Documents with a new name and unchanged content. */
  readonly renamed: number;
  /** Documents that are gone. */
  readonly removed: number;
  /** Documents that stayed as they were. */
  readonly unchanged: number;
  /** Passages of all documents, after the synchronisation. */
  readonly passages: number;
  /** Passages that went through the model. */
  readonly embedded: number;
  /** Passages of new and changed documents whose embedding was already there. */
  readonly reused: number;
  /** Files that are not indexed: unsupported, too large, binary, symbolic links. At most 100 are named. */
  readonly skipped: readonly FileNotice[];
  /** How many files are not indexed. */
  readonly skippedCount: number;
  /** Files and folders that could not be read; their documents stay as they were. At most 100 are named. */
  readonly failed: readonly FileNotice[];
  /** Files that were decoded with replacement characters. At most 100 are named. */
  readonly warnings: readonly FileNotice[];
  /** Time spent in each part; parts overlap, so they may sum to more than `total`. */
  readonly milliseconds: {
    readonly reading: number;
    readonly splitting: number;
    readonly embedding: number;
    readonly storing: number;
    readonly total: number;
  };
}
