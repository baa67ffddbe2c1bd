import type { OpenIndexOptions, SearchIndex } from '@kettle/search';
import type { VectorStore } from '@kettle/vector-store';

export type TestBackend = 'exact' | 'hnsw' | 'usearch' | 'chroma';

export interface OpenForTest extends Partial<Omit<OpenIndexOptions, 'backend'>> {
  readonly documents: string;
  readonly directory: string;
  /** @default 'exact' */
  readonly backend?: TestBackend;
  /** Base URL of the server behind `chroma`. */
  readonly chromaUrl?: string | undefined;
  /** Milliseconds that embedding a passage takes. @default 0 */
  readonly delay?: number;
  /** Wraps the store. */
  readonly around?: (store: VectorStore) => VectorStore;
}

/** Opens an index with the fake model on a named store. */
export function openForTest(options: OpenForTest): Promise<SearchIndex>;

/** Loads the code of a store, so that opening it takes no time for that. */
export function loadStore(backend: TestBackend): Promise<unknown>;
