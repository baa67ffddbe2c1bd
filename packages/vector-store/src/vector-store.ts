import type { Fingerprint } from './fingerprint.js';
import type { CallOptions, QueryOptions } from './options.js';

/** One vector under its id. Equal ids replace each other. */
export interface VectorRecord {
  /** 1 to 128 characters from [A-Za-z0-9._:-]. */
  readonly id: string;
  /** `dimensions` finite numbers, not all zero. Any length is taken: stores compare directions. */
  readonly vector: Float32Array;
}

/** A stored vector near a query. */
export interface VectorHit {
  readonly id: string;
  /** Cosine distance, 1 − cos: 0 (same direction) to 2 (opposite). Smaller is closer. */
  readonly distance: number;
}

/** What callers may rely on beyond the common behaviour. They branch on these, never on a store's name. */
export interface VectorStoreCapabilities {
  /** Every query returns the true nearest vectors, not an approximation. */
  readonly exact: boolean;
  /** The contents outlive `close()` and can be opened again. */
  readonly persistent: boolean;
  /** Other processes see what this one writes: only one of them needs to bring the store level. */
  readonly shared: boolean;
}

/**
 * Vectors under string ids, searched by cosine distance.
 *
 * Methods reject with a {@link VectorStoreError}: always when the backend fails (an outage never looks like
 * "no results"), and before anything is stored when the input is wrong. A call whose signal is aborted
 * rejects with the signal's reason; a change that was under way may then be stored in part. What was passed in
 * is read before the call returns its promise, so it may be reused at once. Methods may be called concurrently.
 */
export interface VectorStore {
  readonly specificationVersion: 'v1';
  /** Short name of the backend for people to read, such as `hnsw`. */
  readonly backend: string;
  readonly fingerprint: Fingerprint;
  readonly capabilities: VectorStoreCapabilities;

  /**
   * Adds records, or replaces those with the same id; of equal ids in one call the last one stays.
   * All of the input is checked before anything is stored.
   */
  upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void>;

  /** Removes records. Ids that are not there are passed over. */
  delete(ids: readonly string[], options?: CallOptions): Promise<void>;

  /**
   * The `topK` records nearest to `vector`, ascending by distance, ties by id (code unit order).
   * A `topK` above the number of records gives all of them; an empty store gives none.
   * With `options.within`, only those ids take part, and the answer is as long as if the store held no others.
   */
  query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]>;

  /** Number of records. */
  count(options?: CallOptions): Promise<number>;

  /**
   * Every id once, in pages, in no particular order. Records changed meanwhile may or may not appear.
   * Failures, a closed store and an aborted signal show when the pages are read.
   */
  ids(options?: CallOptions): AsyncIterable<readonly string[]>;

  /** Removes every record. The store stays usable. */
  clear(options?: CallOptions): Promise<void>;

  /**
   * Makes everything that was accepted so far outlive the process. Does nothing where that is already so, and
   * where nothing outlives it (`capabilities.persistent` is false).
   */
  persist(options?: CallOptions): Promise<void>;

  /**
   * Lets go of files, threads, processes and connections; what was not persisted may be lost. Calls under way
   * and later ones reject with `closed`. Closing twice is harmless.
   */
  close(): Promise<void>;
}
