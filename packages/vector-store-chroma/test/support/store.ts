import type { VectorRecord } from '@kettle/vector-store';
import { type ChromaServer, ChromaVectorStore } from '@kettle/vector-store-chroma';
import { onTestFinished } from 'vitest';
import { all } from './all.js';

export const fingerprint = { model: 'test', dimensions: 2, metric: 'cosine' } as const;
export const record = (id: string, ...vector: number[]): VectorRecord => ({
  id,
  vector: Float32Array.from(vector),
});
export const records = [record('a', 1, 0), record('b', 0, 1)];

export type Options = Partial<Parameters<typeof ChromaVectorStore.open>[0]>;

/** A store that is closed when the test is over. */
export async function open(server: string | ChromaServer, options: Options = {}): Promise<ChromaVectorStore> {
  const store = await ChromaVectorStore.open({ server, fingerprint, corpusId: 'corpus', ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Every call that asks the server something. */
export const calls: Record<string, (store: ChromaVectorStore) => Promise<unknown>> = {
  query: (store) => store.query(Float32Array.of(1, 0), 1),
  'query within': (store) => store.query(Float32Array.of(1, 0), 1, { within: new Set(['a']) }),
  count: (store) => store.count(),
  ids: (store) => all(store.ids()),
  upsert: (store) => store.upsert(records),
  delete: (store) => store.delete(['a']),
  clear: (store) => store.clear(),
};
