import type { DocumentContent, DocumentInfo } from './document-info.js';
import type { IndexProgress, IndexStatus } from './index-status.js';
import type { SearchHit } from './search-hit.js';
import type { SyncReport } from './sync-report.js';

export interface IndexCallOptions {
  /** Ends the call early; the promise then rejects with the signal's reason. The work itself goes on. */
  readonly signal?: AbortSignal | undefined;
}

export interface WaitOptions extends IndexCallOptions {
  /** Told how far the synchronisation is while the call waits for it. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

export interface SearchOptions extends WaitOptions {
  /** Most hits to give, an integer from 1. @default 5 */
  readonly topK?: number | undefined;
  /** Only these documents: names, or folder prefixes ending in `/`. An empty list gives no hits. */
  readonly documents?: readonly string[] | undefined;
  /** Only hits at most this far away: cosine distance, 0 to 2. */
  readonly maxDistance?: number | undefined;
}

export interface SyncOptions extends WaitOptions {
  /** Read and hash every file, also those whose size and times are unchanged. @default false */
  readonly force?: boolean | undefined;
}

/** Documents whose state in the index changed. Lists may all be empty when what changed is not known. */
export interface IndexChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** How hits are found and ordered. Distances are the same in all of them. */
export type SearchMode =
  /** By the meaning of the text. */
  | 'vector'
  /** By the words of the text (BM25); typing errors are forgiven. */
  | 'keyword'
  /** By both: cosine similarity plus the share of the query's words, rare ones weighing more. */
  | 'hybrid';

/** It answered the cafe's questions best. */
export const defaultSearchMode: SearchMode = 'hybrid';

/**
 * An index of a folder that keeps itself true, and answers queries from it.
 * Methods reject with a {@link SearchError}; an outage never looks like "no hits".
 */
export interface SearchIndex {
  /**
   * The passages that answer `query` best, best first; ties by document name, then ordinal. Distinct: a text that
   * stands in several documents gives one hit for each, and within one document its first passage.
   * With an index from before it answers at once; without one it waits for the first synchronisation.
   */
  search(query: string, options?: SearchOptions): Promise<SearchHit[]>;

  /**
   * Every document of the folder that `getDocument` gives, sorted by name (code unit order). Needs neither model nor
   * index.
   */
  listDocuments(options?: IndexCallOptions): Promise<DocumentInfo[]>;

  /** One document with its whole text, as the file is now. Rejects with `document_not_found` and suggestions. */
  getDocument(name: string, options?: IndexCallOptions): Promise<DocumentContent>;

  /** The state right now; costs no input or output. */
  status(): IndexStatus;

  /** Waits until the first synchronisation has finished; rejects if it failed. */
  ready(options?: WaitOptions): Promise<void>;

  /**
   * Brings the index level with the folder, and the vector store level with the index. Calls that come while one
   * runs share the next run. In a follower it waits until the writer's state is taken over, and reports zeros.
   */
  sync(options?: SyncOptions): Promise<SyncReport>;

  /** Calls `listener` after documents of the index changed, in this or another process. Returns its removal. */
  onChange(listener: (change: IndexChange) => void): () => void;

  /** Ends work under way, keeps what is done, lets go of model, store and files. Closing twice is harmless. */
  close(): Promise<void>;
}
