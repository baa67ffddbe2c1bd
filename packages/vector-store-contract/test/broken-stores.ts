import {
  type CallOptions,
  ExactVectorStore,
  type Fingerprint,
  type QueryOptions,
  type VectorHit,
  type VectorRecord,
  type VectorStore,
  VectorStoreError,
} from '@kettle/vector-store';
import { KeptVectorStore } from './kept-vector-store.js';

/** A store that breaks one promise: what it does, and a case that must notice. */
export interface BrokenStore {
  readonly fault: string;
  /** Start of the name of a case that has to fail, so that the fault is caught for the right reason. */
  readonly caughtBy: string;
  open(place: string, fingerprint: Fingerprint): Promise<VectorStore>;
}

type Constructor = new (fingerprint: Fingerprint) => ExactVectorStore;

function volatile(fault: string, caughtBy: string, Store: Constructor): BrokenStore {
  return { fault, caughtBy, open: async (_, fingerprint) => new Store(fingerprint) };
}

/** Answers as `change` makes of the right answer. */
function answering(change: (hits: VectorHit[], topK: number) => VectorHit[]): Constructor {
  return class extends ExactVectorStore {
    override async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
      return change(await super.query(vector, topK, options), topK);
    }
  };
}

export const brokenVolatileStores: readonly BrokenStore[] = [
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
    'gives hits in reverse order',
    'gives the distances',
    answering((hits) => hits.toReversed()),
  ),
  volatile(
    'does not order ties by id',
    'orders equal vectors by id',
    answering((hits) => hits.toReversed().sort((a, b) => a.distance - b.distance)),
  ),
  volatile(
    'orders ties by the rules of a language',
    'orders equal vectors by id',
    answering((hits) => hits.sort((a, b) => a.distance - b.distance || a.id.localeCompare(b.id, 'en'))),
  ),
  volatile(
    'gives similarities for distances',
    'gives the distances',
    answering((hits) => hits.map(({ id, distance }) => ({ id, distance: 1 - distance })).reverse()),
  ),
  volatile(
    'rounds distances',
    'finds the nearest of 600',
    answering((hits) => hits.map(({ id, distance }) => ({ id, distance: Math.round(distance * 100) / 100 }))),
  ),
  volatile(
    'gives one hit too few',
    'gives all records for a topK above',
    answering((hits, topK) => hits.slice(0, topK - 1)),
  ),
  volatile(
    'misses the nearest',
    'finds the nearest of 600',
    class extends ExactVectorStore {
      override async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        const hits = await super.query(vector, topK + 1, options);
        return hits.length > topK ? hits.slice(1) : hits;
      }
    },
  ),
  volatile(
    'fails when topK is above the number of records',
    'gives all records for a topK above',
    class extends ExactVectorStore {
      override async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        if (topK > (await this.count())) throw new VectorStoreError('unavailable', 'too many');
        return super.query(vector, topK, options);
      }
    },
  ),
  volatile(
    'answers failures with no hits',
    'refuses a query vector with NaN',
    class extends ExactVectorStore {
      override query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        return super.query(vector, topK, options).catch(() => []);
      }
    },
  ),
  volatile(
    'throws instead of rejecting',
    'refuses a query vector with NaN',
    class extends ExactVectorStore {
      override query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        if (vector.some(Number.isNaN)) throw new VectorStoreError('invalid_vector', 'NaN');
        return super.query(vector, topK, options);
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
  volatile(
    'ignores within',
    'searches within one of many',
    class extends ExactVectorStore {
      override query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        return super.query(vector, topK, { signal: options?.signal });
      }
    },
  ),
  volatile(
    'filters by within only after the search',
    'searches within the farthest twelve',
    class extends ExactVectorStore {
      override async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        const hits = await super.query(vector, topK, { signal: options?.signal });
        return hits.filter(({ id }) => options?.within?.has(id) ?? true);
      }
    },
  ),
  volatile(
    'takes an empty within for none',
    'searches within no ids',
    class extends ExactVectorStore {
      override query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        const within = options?.within?.size ? options.within : undefined;
        return super.query(vector, topK, { signal: options?.signal, within });
      }
    },
  ),
  volatile(
    'ignores signals',
    'rejects query with the reason when its signal was aborted before',
    class extends ExactVectorStore {
      override query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        return super.query(vector, topK, { within: options?.within });
      }
    },
  ),
  volatile(
    'looks at the signal only at the start',
    'rejects upsert with the reason when its signal is aborted meanwhile',
    class extends ExactVectorStore {
      override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        options?.signal?.throwIfAborted();
        await super.upsert(records);
      }
    },
  ),
  volatile(
    'rejects with an error of its own instead of the reason',
    'rejects delete with the reason when its signal was aborted before',
    class extends ExactVectorStore {
      override async delete(ids: readonly string[], options?: CallOptions): Promise<void> {
        if (options?.signal?.aborted) throw new VectorStoreError('unavailable', 'aborted');
        await super.delete(ids, options);
      }
    },
  ),
  volatile(
    'stores first and looks at the signal afterwards',
    'rejects upsert with the reason when its signal was aborted before',
    class extends ExactVectorStore {
      override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        await super.upsert(records);
        options?.signal?.throwIfAborted();
      }
    },
  ),
  volatile(
    'reads records only when their turn comes',
    'reads records, ids and query vectors',
    class extends ExactVectorStore {
      override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        await undefined;
        await super.upsert(records, options);
      }
    },
  ),
  volatile(
    'answers all queries under way with the answer to the last',
    'does not mix up the answers',
    class extends ExactVectorStore {
      #last = new Float32Array();
      override async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        this.#last = Float32Array.from(vector);
        await undefined;
        return super.query(this.#last, topK, options);
      }
    },
  ),
  volatile(
    'goes on after close',
    'rejects count after close',
    class extends ExactVectorStore {
      override async close(): Promise<void> {}
    },
  ),
  volatile(
    'rejects with an untyped error after close',
    'rejects count after close',
    class extends ExactVectorStore {
      override count(options?: CallOptions): Promise<number> {
        return super.count(options).catch((error) => Promise.reject(new Error(error.message)));
      }
    },
  ),
  volatile(
    'fails when closed twice',
    'closes twice',
    class extends ExactVectorStore {
      #closed = false;
      override async close(): Promise<void> {
        if (this.#closed) throw new VectorStoreError('closed', 'closed');
        this.#closed = true;
        await super.close();
      }
    },
  ),
  volatile(
    'compares by the inner product of vectors as they came',
    'compares by direction',
    class extends ExactVectorStore {
      readonly #vectors = new Map<string, Float32Array>();
      override async upsert(records: readonly VectorRecord[], options?: CallOptions): Promise<void> {
        await super.upsert(records, options);
        for (const { id, vector } of records) this.#vectors.set(id, vector);
      }
      override async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        const hits = await super.query(vector, await this.count().then((count) => count + 1), options);
        const product = (other: Float32Array) => other.reduce((sum, value, i) => sum + value * vector[i]!, 0);
        return hits
          .map(({ id }) => ({ id, distance: 1 - product(this.#vectors.get(id)!) }))
          .sort((a, b) => a.distance - b.distance)
          .slice(0, topK);
      }
    },
  ),
  volatile(
    'claims to be another kind of store',
    'says what it is',
    class extends ExactVectorStore {
      override readonly capabilities = { exact: false, persistent: false, shared: false };
    },
  ),
];

export const brokenKeptStores: readonly BrokenStore[] = [
  {
    fault: 'persists nothing',
    caughtBy: 'opens again with what was persisted',
    open: async (_, fingerprint) => new KeptVectorStore(fingerprint, () => {}),
  },
  {
    fault: 'persists only what the first call persisted',
    caughtBy: 'goes on from where it was',
    open: (place, fingerprint) =>
      KeptVectorStore.open(place, fingerprint, (contents, records) => {
        if (!contents.has(place)) contents.set(place, { fingerprint, records });
      }),
  },
  {
    fault: 'keeps everything in one place',
    caughtBy: 'keeps places apart',
    open: (_, fingerprint) => KeptVectorStore.open('the only place', fingerprint),
  },
  {
    fault: 'persists additions, not deletions',
    caughtBy: 'opens again with what was persisted',
    open: (place, fingerprint) =>
      KeptVectorStore.open(place, fingerprint, (contents, records) => {
        const before = contents.get(place)?.records ?? new Map();
        contents.set(place, {
          fingerprint,
          records: new Map([...KeptVectorStore.everAdded(place), ...before, ...records]),
        });
      }),
  },
  {
    fault: 'opens stored data for any model',
    caughtBy: 'refuses stored data of another model',
    open: (place, fingerprint) => KeptVectorStore.open(place, fingerprint, undefined, () => {}),
  },
  {
    fault: 'throws stored data of another model away',
    caughtBy: 'refuses stored data of another model',
    open: (place, fingerprint) =>
      KeptVectorStore.open(place, fingerprint, undefined, (contents) => {
        contents.delete(place);
        throw new VectorStoreError('fingerprint_mismatch', place);
      }),
  },
];
