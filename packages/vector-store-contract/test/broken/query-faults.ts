import {
  type CallOptions,
  compareHits,
  ExactVectorStore,
  type QueryOptions,
  type VectorHit,
  type VectorRecord,
  VectorStoreError,
} from '@kettle/vector-store';
import { type BrokenStore, type Constructor, volatile } from './broken-store.js';

/** Answers as `change` makes of the right answer. */
function answering(change: (hits: VectorHit[], topK: number) => VectorHit[]): Constructor {
  return class extends ExactVectorStore {
    override async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
      return change(await super.query(vector, topK, options), topK);
    }
  };
}

/** Stores that break a promise about answers. */
export const queryFaults: readonly BrokenStore[] = [
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
    'reads the first 500 ids of within',
    'searches within more than 500 ids',
    class extends ExactVectorStore {
      override query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        const within = options?.within && new Set([...options.within].slice(0, 500));
        return super.query(vector, topK, { signal: options?.signal, within });
      }
    },
  ),
  volatile(
    'gives at most a hundred hits of one distance',
    'gives as many of 300 equal vectors',
    answering((hits) => hits.filter(({ distance }, place) => hits[place - 100]?.distance !== distance)),
  ),
  volatile(
    'sorts ties among a hundred candidates',
    'gives the smallest ids of 300',
    class extends ExactVectorStore {
      override async query(vector: Float32Array, topK: number, options?: QueryOptions): Promise<VectorHit[]> {
        const all = await super.query(vector, await this.count().then((count) => count + 1), options);
        const candidates = all.toReversed().sort((a, b) => a.distance - b.distance);
        return candidates.slice(0, Math.max(100, topK)).sort(compareHits).slice(0, topK);
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
];
