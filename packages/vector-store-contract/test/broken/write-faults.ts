import {
  type CallOptions,
  compareHits,
  ExactVectorStore,
  type QueryOptions,
  type VectorHit,
  type VectorRecord,
  VectorStoreError,
} from '@kettle/vector-store';
import { type BrokenStore, volatile } from './broken-store.js';

/** Stores that break a promise about changes. */
export const writeFaults: readonly BrokenStore[] = [
  volatile(
    'drops the last record of a call',
    'grows: 2500 records',
    class extends ExactVectorStore {
      override upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        return super.upsert(records.length > 1 ? records.slice(0, -1) : records, options);
      }
    },
  ),
  volatile(
    'stores records one by one until a bad one comes',
    'refuses a record with NaN',
    class extends ExactVectorStore {
      override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        for (const record of records) await super.upsert([record], options);
      }
    },
  ),
  volatile(
    'checks and stores in slices',
    'refuses a record with only zeros',
    class extends ExactVectorStore {
      override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        for (let start = 0; start < records.length; start += 100) {
          await super.upsert(records.slice(start, start + 100), options);
        }
      }
    },
  ),
  volatile(
    'takes infinite numbers',
    'refuses a record with an infinite number',
    class extends ExactVectorStore {
      override upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        const finite = records.map(({ id, vector }) => ({
          id,
          vector: vector.map((value) => Math.min(1e30, Math.max(-1e30, value))),
        }));
        return super.upsert(Number.isNaN(finite[0]?.vector[1]) ? records : finite, options);
      }
    },
  ),
  volatile(
    'cuts ids at 64 characters',
    'keeps unusual ids',
    class extends ExactVectorStore {
      override upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        if (records.some(({ id }) => id.length > 128)) return super.upsert(records, options);
        return super.upsert(
          records.map(({ id, vector }) => ({ id: typeof id === 'string' ? id.slice(0, 64) : id, vector })),
          options,
        );
      }
    },
  ),
  volatile(
    'keeps the first of equal ids in one call',
    'keeps the last of equal ids',
    class extends ExactVectorStore {
      override upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        return super.upsert(records.toReversed(), options);
      }
    },
  ),
  volatile(
    'ignores a record whose id it has',
    'replaces the record',
    class extends ExactVectorStore {
      readonly #seen = new Set<string>();
      override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        await super.upsert(
          records.filter(({ id }) => !this.#seen.has(id)),
          options,
        );
        for (const { id } of records) this.#seen.add(id);
      }
    },
  ),
  volatile(
    'still finds deleted records',
    'finds a deleted record no more',
    class extends ExactVectorStore {
      override async delete(): Promise<void> {}
    },
  ),
  volatile(
    'refuses to delete unknown ids',
    'finds a deleted record no more',
    class extends ExactVectorStore {
      override async delete(ids: readonly string[], options?: CallOptions): Promise<void> {
        for await (const page of this.ids()) {
          const unknown = ids.find((id) => !page.includes(id));
          if (unknown !== undefined) throw new VectorStoreError('invalid_argument', unknown);
        }
        await super.delete(ids, options);
      }
    },
  ),
  volatile(
    'never takes a deleted id again',
    'takes a record again after its deletion',
    class extends ExactVectorStore {
      readonly #deleted = new Set<string>();
      override async delete(ids: readonly string[], options?: CallOptions): Promise<void> {
        await super.delete(ids, options);
        for (const id of ids) this.#deleted.add(id);
      }
      override upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        return super.upsert(
          records.filter(({ id }) => !this.#deleted.has(id)),
          options,
        );
      }
    },
  ),
  volatile(
    'counts records that were ever added',
    'replaces the record',
    class extends ExactVectorStore {
      #added = 0;
      override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        await super.upsert(records, options);
        this.#added += records.length;
      }
      override async count(options?: CallOptions): Promise<number> {
        await super.count(options);
        return this.#added;
      }
    },
  ),
  volatile(
    'lists only the first page of ids',
    'grows: 2500 records',
    class extends ExactVectorStore {
      override async *ids(options?: CallOptions): AsyncGenerator<readonly string[]> {
        for await (const page of super.ids(options)) {
          yield page;
          return;
        }
      }
    },
  ),
  volatile(
    'lists at most 5000 ids',
    'lists 5500 ids',
    class extends ExactVectorStore {
      override async *ids(options?: CallOptions): AsyncGenerator<readonly string[]> {
        let left = 5000;
        for await (const page of super.ids(options)) {
          yield page.slice(0, left);
          left -= page.length;
          if (left <= 0) return;
        }
      }
    },
  ),
  volatile(
    'passes over at most a thousand deleted records',
    'finds the last ten',
    class extends ExactVectorStore {
      readonly #gone = new ExactVectorStore(this.fingerprint);
      readonly #vectors = new Map<string, Float32Array>();
      override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        await super.upsert(records, options);
        for (const { id, vector } of records) this.#vectors.set(id, vector);
        await this.#gone.delete(records.map(({ id }) => id));
      }
      override async delete(ids: readonly string[], options?: CallOptions): Promise<void> {
        await super.delete(ids, options);
        const known = ids.filter((id) => this.#vectors.has(id));
        await this.#gone.upsert(known.map((id) => ({ id, vector: this.#vectors.get(id)! })));
      }
      override async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        const gone = await this.#gone.query(vector, 1000 + topK, options);
        const hits = await super.query(vector, topK, options);
        return [...gone, ...hits]
          .sort(compareHits)
          .slice(0, 1000 + topK)
          .filter((hit) => hits.includes(hit));
      }
    },
  ),
  volatile(
    'lists the end of each page of ids again',
    'grows: 2500 records',
    class extends ExactVectorStore {
      override async *ids(options?: CallOptions): AsyncGenerator<readonly string[]> {
        let last: string[] = [];
        for await (const page of super.ids(options)) {
          yield [...last, ...page];
          last = page.slice(-1);
        }
      }
    },
  ),
  volatile(
    'can not be used after clear',
    'clears, and is filled again',
    class extends ExactVectorStore {
      override async clear(options?: CallOptions): Promise<void> {
        await super.clear(options);
        await this.close();
      }
    },
  ),
];
