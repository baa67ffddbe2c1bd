/** What a folder of indexes holds for one model, read without loading the model. */
export interface IndexSummary {
  /** Folder of the catalog and the vector files. */
  readonly directory: string;
  /** Id of the embedding model. */
  readonly model: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  /** The corpus it was made from. */
  readonly corpus: { readonly id: string; readonly name: string; readonly directory: string };
  readonly documents: number;
  readonly passages: number;
  /** Distinct texts among the passages: the vectors a store holds. */
  readonly vectors: number;
  /** Embeddings kept for passages that may come back. */
  readonly spareEmbeddings: number;
  /** When it was last level with the folder, ISO 8601, to the minute where nothing changed; absent when it never was. */
  readonly lastSyncAt?: string;
  /** Bytes of the catalog's files, and of everything in `directory`. */
  readonly catalogBytes: number;
  readonly bytes: number;
  /** A process has the index open for writing right now. */
  readonly inUse: boolean;
  /** The state that each vector store reached. */
  readonly stores: readonly {
    readonly backend: string;
    /** The store held exactly the index's vectors when it was last saved, and the index has not changed since. */
    readonly level: boolean;
    /** When it was last saved, ISO 8601. */
    readonly savedAt: string;
  }[];
}

/** A folder that looks like an index and can't be used. */
export interface UnreadableIndex {
  readonly directory: string;
  /** What is wrong, without a full stop. */
  readonly problem: string;
  /** A sentence: what becomes of it, or what to do. */
  readonly remedy: string;
}
