import type { Embedder } from '@kettle/embedder';
import type { Fingerprint, VectorStore } from '@kettle/vector-store';
import type { Corpus } from './corpus.js';
import type { IndexProgress } from './index-status.js';
import type { Log } from './log.js';
import type { SearchMode } from './search-index.js';

/** What a vector store is opened for. */
export interface StoreContext {
  readonly fingerprint: Fingerprint;
  /** Folder for the store's files; may not exist yet. */
  readonly directory: string;
  /** Stable short name of this index of the corpus, for collection names: no other index has the same. */
  readonly corpusId: string;
  readonly signal: AbortSignal;
}

export interface OpenIndexOptions {
  /** What to index, from `readCorpus`. */
  readonly corpus: Corpus;
  /** Where indexes live; this one gets a folder of its own, named after the model. Created on demand. */
  readonly directory: string;
  /** Id of the embedding model, for messages and for the status before it is loaded. */
  readonly model: string;
  /** Name of the backend: its files go into a folder of that name. @default 'store' */
  readonly backend?: string;
  /** Loads the model, in the background; called again after a failure. The index closes what it gives. */
  readonly loadEmbedder: (
    signal: AbortSignal,
    onProgress: (progress: IndexProgress) => void,
  ) => Promise<Embedder>;
  /** Opens the vector store; called again after a failure. The index closes what it gives. */
  readonly openStore: (context: StoreContext) => Promise<VectorStore>;
  /** @default 'hybrid' */
  readonly mode?: SearchMode;
  /**
   * Follow changes of the folder while open: by the system's events, and by looking again where it has none
   * (`true`); only by looking again, for file systems whose events are missing or wrong (`rescan`); or not at all.
   * @default true
   */
  readonly watch?: boolean | 'rescan';
  /** Milliseconds between two looks at a folder that the system can't watch. @default 5000 */
  readonly rescanEvery?: number;
  readonly log?: Log;
  /** Ends the index like `close()`. */
  readonly signal?: AbortSignal;
}
