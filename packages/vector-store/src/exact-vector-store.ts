import { VectorStoreError } from './errors.js';
import { checkFingerprint, type Fingerprint } from './fingerprint.js';
import { NearestHits } from './nearest-hits.js';
import type { CallOptions, QueryOptions } from './options.js';
import { checkRecords, checkTopK, checkVector } from './validate.js';
import type { VectorHit, VectorRecord, VectorStore, VectorStoreCapabilities } from './vector-store.js';
import { normaliseInto, unitDistance } from './vectors.js';

const pageSize = 1000;
const firstCapacity = 64;

/**
 * Compares a query with every vector: the reference that other stores are measured against, and the right
 * choice for small corpora. It lives in memory (4 bytes a dimension and vector) and a query runs on the calling
 * thread in time linear in the number of vectors.
 */
export class ExactVectorStore implements VectorStore {
  readonly specificationVersion = 'v1';
  readonly backend = 'exact';
  readonly fingerprint: Fingerprint;
  readonly capabilities: VectorStoreCapabilities = Object.freeze({
    exact: true,
    persistent: false,
    shared: false,
  });

  /** The directions (vectors of length 1), one after the other: slot i starts at i × dimensions. */
  #matrix = new Float32Array(0);
  /** The id in each slot. */
  #ids: string[] = [];
  readonly #slots = new Map<string, number>();
  #closed = false;

  /** @throws {VectorStoreError} `invalid_argument` for a malformed fingerprint. */
  constructor(fingerprint: Fingerprint) {
    this.fingerprint = checkFingerprint(fingerprint);
  }

  async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
    const { dimensions } = this.fingerprint;
    checkRecords(records, dimensions);
    const ids = records.map((record) => record.id);
    const directions = new Float32Array(records.length * dimensions);
    records.forEach((record, index) => {
      normaliseInto(record.vector, directions, index * dimensions);
    });
    await this.#begin(options);
    this.#reserve(this.#ids.length + ids.length);
    ids.forEach((id, index) => {
      const from = index * dimensions;
      this.#matrix.set(directions.subarray(from, from + dimensions), this.#slotFor(id) * dimensions);
    });
  }

  async delete(ids: readonly string[], options?: CallOptions): Promise<void> {
    const doomed = [...ids];
    await this.#begin(options);
    for (const id of doomed) this.#remove(id);
  }

  async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
    const { dimensions } = this.fingerprint;
    checkVector(vector, dimensions);
    checkTopK(topK);
    const direction = new Float32Array(dimensions);
    normaliseInto(vector, direction);
    const within = options?.within && [...options.within];
    await this.#begin(options);

    const nearest = new NearestHits(topK);
    const compare = (slot: number) => {
      const distance = unitDistance(direction, this.#matrix, slot * dimensions);
      if (distance <= nearest.threshold) nearest.offer({ id: this.#ids[slot]!, distance });
    };
    if (within) {
      for (const id of within) {
        const slot = this.#slots.get(id);
        if (slot !== undefined) compare(slot);
      }
    } else {
      for (let slot = 0; slot < this.#ids.length; slot++) compare(slot);
    }
    return nearest.sorted();
  }

  async count(options?: CallOptions): Promise<number> {
    await this.#begin(options);
    return this.#ids.length;
  }

  async *ids(options?: CallOptions): AsyncGenerator<readonly string[]> {
    await this.#begin(options);
    const ids = [...this.#ids];
    for (let start = 0; start < ids.length; start += pageSize) {
      await this.#begin(options);
      yield ids.slice(start, start + pageSize);
    }
  }

  async clear(options?: CallOptions): Promise<void> {
    await this.#begin(options);
    this.#empty();
  }

  async persist(options?: CallOptions): Promise<void> {
    await this.#begin(options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#empty();
  }

  /** Gives the caller one turn to abort or close, then refuses the call if that happened. */
  async #begin(options?: CallOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    await undefined;
    if (this.#closed) {
      throw new VectorStoreError('closed', 'The exact store is closed: open a new one.');
    }
    options?.signal?.throwIfAborted();
  }

  #slotFor(id: string): number {
    let slot = this.#slots.get(id);
    if (slot === undefined) {
      slot = this.#ids.push(id) - 1;
      this.#slots.set(id, slot);
    }
    return slot;
  }

  /** Moves the last vector into the freed slot, so that the matrix stays without gaps. */
  #remove(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    const { dimensions } = this.fingerprint;
    const last = this.#ids.length - 1;
    const moved = this.#ids[last]!;
    this.#matrix.copyWithin(slot * dimensions, last * dimensions, (last + 1) * dimensions);
    this.#ids[slot] = moved;
    this.#slots.set(moved, slot);
    this.#ids.pop();
    this.#slots.delete(id);
  }

  #reserve(count: number): void {
    const { dimensions } = this.fingerprint;
    let capacity = Math.max(firstCapacity, this.#matrix.length / dimensions);
    while (capacity < count) capacity *= 2;
    if (capacity * dimensions === this.#matrix.length) return;
    const grown = new Float32Array(capacity * dimensions);
    grown.set(this.#matrix);
    this.#matrix = grown;
  }

  #empty(): void {
    this.#matrix = new Float32Array(0);
    this.#ids = [];
    this.#slots.clear();
  }
}
