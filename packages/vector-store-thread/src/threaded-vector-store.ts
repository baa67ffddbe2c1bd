import {
  type CallOptions,
  checkRecords,
  checkTopK,
  checkVector,
  type Fingerprint,
  normaliseInto,
  type QueryOptions,
  type VectorHit,
  type VectorRecord,
  type VectorStore,
  type VectorStoreCapabilities,
} from '@kettle/vector-store';
import { type GraphOptions, settingsFrom } from './graph-options.js';
import { IndexClient } from './index-client.js';
import { joinIds, splitIds } from './protocol.js';

/** An index in a thread of its own that is loaded and ready. */
export interface OpenedIndex {
  readonly fingerprint: Fingerprint;
  readonly client: IndexClient;
}

/**
 * Starts `thread`, a module that calls `serveIndex`, on the index kept in `options.directory`: as it was
 * persisted, or empty where nothing (usable) is.
 *
 * @throws {VectorStoreError} `fingerprint_mismatch` when the folder holds vectors of another model, which are
 * left alone; `invalid_argument` for an option outside its range; `unsupported` when the library's addon is
 * missing; `unavailable` when the folder can't be read.
 */
export async function openIndex(thread: URL, options: GraphOptions): Promise<OpenedIndex> {
  const settings = settingsFrom(options);
  const { client, opened } = await IndexClient.open(thread, settings, options.signal);
  if (opened.rebuild !== undefined) options.onRebuild?.(opened.rebuild);
  return { fingerprint: settings.fingerprint, client };
}

/**
 * Approximate search in a graph that lives in this process's memory and is kept in files. All work on it happens
 * in a thread of its own, where queries go ahead of inserts.
 *
 * Files change only in `persist`; a process that is killed meanwhile leaves the former state or the new one.
 * Each process has its own copy of the index: what another one persisted shows when the store is opened.
 */
export abstract class ThreadedVectorStore implements VectorStore {
  readonly specificationVersion = 'v1';
  abstract readonly backend: string;
  readonly fingerprint: Fingerprint;
  readonly capabilities: VectorStoreCapabilities = Object.freeze({
    exact: false,
    persistent: true,
    shared: false,
  });
  readonly #client: IndexClient;

  protected constructor({ fingerprint, client }: OpenedIndex) {
    this.fingerprint = fingerprint;
    this.#client = client;
  }

  async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
    const { dimensions } = this.fingerprint;
    checkRecords(records, dimensions);
    const vectors = new Float32Array(records.length * dimensions);
    records.forEach((record, index) => {
      normaliseInto(record.vector, vectors, index * dimensions);
    });
    const ids = joinIds(records.map((record) => record.id));
    await this.#client.call({ kind: 'upsert', ids, vectors }, options?.signal, [vectors.buffer]);
  }

  async delete(ids: readonly string[], options?: CallOptions): Promise<void> {
    await this.#client.call({ kind: 'delete', ids: joinIds(ids) }, options?.signal);
  }

  async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
    checkVector(vector, this.fingerprint.dimensions);
    checkTopK(topK);
    const direction = new Float32Array(vector.length);
    normaliseInto(vector, direction);
    const within = options?.within && joinIds(options.within);
    return this.#client.call({ kind: 'query', vector: direction, topK, within }, options?.signal, [
      direction.buffer,
    ]);
  }

  async count(options?: CallOptions): Promise<number> {
    return this.#client.call({ kind: 'count' }, options?.signal);
  }

  async *ids(options?: CallOptions): AsyncGenerator<readonly string[]> {
    const pages = await this.#client.call({ kind: 'ids' }, options?.signal);
    for (const page of pages) {
      options?.signal?.throwIfAborted();
      yield splitIds(page);
    }
  }

  async clear(options?: CallOptions): Promise<void> {
    await this.#client.call({ kind: 'clear' }, options?.signal);
  }

  /** Writes the index to its folder, if it changed. Rejects with `storage_full` where the disk is. */
  async persist(options?: CallOptions): Promise<void> {
    await this.#client.call({ kind: 'persist' }, options?.signal);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
