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
  VectorStoreError,
} from '@kettle/vector-store';
import { type CheckedOptions, type ChromaVectorStoreOptions, checkOptions } from './chroma-options.js';
import { CollectionLink } from './collection-link.js';
import { Connection } from './connection.js';
import { nearest, type Source } from './nearest.js';

/**
 * Numbers in one request or answer, about 0.4 MB: turning that into a body or back never holds up the main thread
 * for long, it passes through proxies with their usual limit of 1 MB, and ends well within a deadline.
 */
const numbersInRequest = 80_000;
/** Most ids in one request or answer, if the server's own limit is not lower. */
const largestPage = 5000;
/** The same for a distributed server: Chroma Cloud allows 300 records in a write, and 300 results. */
const distributedPage = 300;

/** Vectors in one collection of a Chroma server. Made with {@link ChromaVectorStore.open}. */
export class ChromaVectorStore implements VectorStore {
  readonly specificationVersion = 'v1';
  readonly backend = 'chroma';
  readonly fingerprint: Fingerprint;
  readonly capabilities: VectorStoreCapabilities = Object.freeze({
    exact: false,
    persistent: true,
    shared: true,
  });
  /** Name of the collection on the server. */
  readonly collection: string;

  readonly #connection: Connection;
  readonly #link: CollectionLink;
  readonly #efSearch: number;

  /**
   * Connects to the server, and makes the collection if it isn't there.
   *
   * @throws {VectorStoreError} `invalid_argument` for options outside their range; `fingerprint_mismatch` when
   * another model filled the collection; `unavailable`, `timeout`, `unauthorized`, `unsupported` or
   * `storage_full` when the server can't serve. The endpoint is closed then.
   */
  static async open(options: ChromaVectorStoreOptions): Promise<ChromaVectorStore> {
    const checked = checkOptions(options);
    const store = new ChromaVectorStore(checked);
    try {
      await store.#connection.handshake(options.signal);
      await store.#link.open(options.signal);
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  private constructor(options: CheckedOptions) {
    this.fingerprint = options.fingerprint;
    this.collection = options.collection;
    this.#connection = new Connection(options);
    this.#link = new CollectionLink(this.#connection, options);
    this.#efSearch = options.hnsw.efSearch;
  }

  async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
    const { dimensions } = this.fingerprint;
    checkRecords(records, dimensions);
    // Of equal ids the last one stays; the server refuses them in one request.
    const directions = new Map<string, Float32Array>();
    for (const { id, vector } of records) directions.set(id, normalised(vector));
    await this.#connection.begin(options?.signal);
    const size = Math.max(1, Math.floor(numbersInRequest / dimensions));
    for (const part of parts([...directions], Math.min(size, this.#pageSize))) {
      const ids = part.map(([id]) => id);
      await this.#link.write(
        (collection) => collection.upsert({ ids, embeddings: part.map(([, direction]) => [...direction]) }),
        options?.signal,
      );
    }
  }

  async delete(ids: readonly string[], options?: CallOptions): Promise<void> {
    const doomed = [...new Set(ids)];
    await this.#connection.begin(options?.signal);
    for (const part of parts(doomed, this.#pageSize)) {
      await this.#link.visit((collection) => collection.delete({ ids: part }), options?.signal);
    }
  }

  async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
    checkVector(vector, this.fingerprint.dimensions);
    checkTopK(topK);
    const direction = normalised(vector);
    const within = options?.within && new Set(options.within);
    await this.#connection.begin(options?.signal);
    return nearest(this.#source(direction, options?.signal), direction, topK, within);
  }

  async count(options?: CallOptions): Promise<number> {
    return this.#link.read(async (collection) => {
      const count = await collection.count();
      if (!Number.isInteger(count)) throw malformed('a count');
      return count;
    }, options?.signal);
  }

  async *ids(options?: CallOptions): AsyncGenerator<readonly string[]> {
    // Pages shift when records come or go meanwhile, so that one may show an id again.
    const seen = new Set<string>();
    for (let offset = 0; ; offset += this.#pageSize) {
      const page = await this.#idPage(offset, options?.signal);
      const fresh = page.filter((id) => !seen.has(id));
      for (const id of fresh) seen.add(id);
      if (fresh.length > 0) yield fresh;
      if (page.length < this.#pageSize) return;
    }
  }

  /** Deletes the records rather than the collection, which other processes may be using. */
  async clear(options?: CallOptions): Promise<void> {
    for (;;) {
      const ids = await this.#idPage(0, options?.signal);
      if (ids.length === 0) return;
      await this.delete(ids, options);
    }
  }

  /** Does nothing: the server keeps what it has accepted. */
  async persist(options?: CallOptions): Promise<void> {
    await this.#connection.begin(options?.signal);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  get #pageSize(): number {
    const ours = this.#link.isDistributed ? distributedPage : largestPage;
    return Math.min(ours, this.#connection.maxBatchSize);
  }

  async #idPage(offset: number, signal: AbortSignal | undefined): Promise<readonly string[]> {
    const page = await this.#link.visit(async (collection) => {
      const { ids } = await collection.get({ include: [], limit: this.#pageSize, offset });
      if (!Array.isArray(ids)) throw malformed('ids');
      return ids;
    }, signal);
    return page ?? [];
  }

  #source(direction: Float32Array, signal: AbortSignal | undefined): Source {
    const pageSize = Math.min(this.#pageSize, Math.max(1, Math.floor(numbersInRequest / direction.length)));
    const vectors = (request: { ids?: string[]; offset?: number }) =>
      this.#link.read(async (collection) => {
        const found = await collection.get({ ...request, limit: pageSize, include: ['embeddings'] });
        if (found.embeddings.length !== found.ids.length) throw malformed('a vector for each id');
        return found.ids.map((id, index) => [id, this.#checked(found.embeddings[index])] as const);
      }, signal);
    const { isDistributed } = this.#link;
    return {
      least: isDistributed ? 0 : this.#efSearch,
      most: isDistributed ? distributedPage : Number.POSITIVE_INFINITY,
      ask: (limit) => this.#ask(direction, limit, signal),
      count: () => this.count({ signal }),
      async *vectors(ids) {
        if (ids) {
          for (const part of parts(ids, pageSize)) yield await vectors({ ids: part });
          return;
        }
        for (let offset = 0; ; offset += pageSize) {
          const page = await vectors({ offset });
          yield page;
          if (page.length < pageSize) return;
        }
      },
    };
  }

  /** The server compares dimensions in searches, not in what it hands out. */
  #checked(vector: readonly number[] | null | undefined): readonly number[] {
    const { dimensions } = this.fingerprint;
    if (!vector) throw malformed('a vector for each id');
    if (vector.length === dimensions) return vector;
    throw new VectorStoreError(
      'fingerprint_mismatch',
      `Chroma's collection ${this.collection} holds vectors of ${vector.length} dimensions, not of ${dimensions}: ` +
        'use another collection, or delete that one.',
    );
  }

  #ask(direction: Float32Array, limit: number, signal: AbortSignal | undefined): Promise<VectorHit[]> {
    return this.#link.read(async (collection) => {
      const { ids, distances } = await collection.query({
        queryEmbeddings: [[...direction]],
        nResults: limit,
        include: ['distances'],
      });
      const [found, far] = [ids[0], distances[0]];
      if (!found || far?.length !== found.length) throw malformed('a distance for each id');
      return found.map((id, index) => {
        const distance = far[index];
        if (typeof distance !== 'number') throw malformed('a distance for each id');
        // Rounding may leave the range by a hair.
        return { id, distance: Math.min(2, Math.max(0, distance)) };
      });
    }, signal);
  }
}

/** The direction alone: sums of very large or very small squares would leave the server's single precision. */
function normalised(vector: Float32Array): Float32Array {
  const direction = new Float32Array(vector.length);
  normaliseInto(vector, direction);
  return direction;
}

function* parts<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

function malformed(what: string): VectorStoreError {
  return new VectorStoreError('unsupported', `The server's answer lacks ${what}: check CHROMA_URL.`);
}
