import {
  type CallOptions,
  ExactVectorStore,
  type QueryOptions,
  type VectorHit,
  type VectorRecord,
  VectorStoreError,
} from '@kettle/vector-store';
import { type BrokenStore, volatile } from './broken-store.js';

/** Stores that break a promise about calls. */
export const callFaults: readonly BrokenStore[] = [
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
    'claims to be another kind of store',
    'says what it is',
    class extends ExactVectorStore {
      override readonly capabilities = { exact: false, persistent: false, shared: false };
    },
  ),
];
