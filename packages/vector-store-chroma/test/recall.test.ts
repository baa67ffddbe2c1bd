import { ExactVectorStore, type VectorRecord } from '@kettle/vector-store';
import { ChromaServer, ChromaVectorStore } from '@kettle/vector-store-chroma';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chroma } from './support/chroma-command.js';
import { soon } from './support/processes.js';
import { randomDirections } from './support/random-directions.js';
import { tempDir } from './support/temp-dir.js';

const dimensions = 64;
const fingerprint = { model: 'random', dimensions, metric: 'cosine' } as const;
const topK = 10;

describe.skipIf(!chroma.available)('efSearch, on 3000 random vectors', () => {
  let folder: Awaited<ReturnType<typeof tempDir>>;
  let server: ChromaServer;
  let exact: ExactVectorStore;
  const [records, queries] = [
    numbered(randomDirections(3000, dimensions, 1)),
    randomDirections(50, dimensions, 2),
  ];

  beforeAll(async () => {
    folder = await tempDir();
    server = await ChromaServer.start({ directory: folder.path, command: chroma.command });
    exact = new ExactVectorStore(fingerprint);
    await exact.upsert(records);
  });
  afterAll(async () => {
    await server?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  async function open(corpusId: string, efSearch: number): Promise<ChromaVectorStore> {
    const url = await server.url(soon());
    return ChromaVectorStore.open({ server: url, fingerprint, corpusId, hnsw: { efSearch } });
  }

  /** Share of the true ten nearest that a store with this setting gives. Closes the store. */
  async function recall(store: ChromaVectorStore): Promise<number> {
    let found = 0;
    for (const query of queries) {
      const expected = new Set((await exact.query(query, topK)).map(({ id }) => id));
      for (const { id } of await store.query(query, topK)) if (expected.has(id)) found++;
    }
    await store.close();
    return found / (queries.length * topK);
  }

  test('takes effect in a new collection, and at once in one that exists, in both directions', async () => {
    const store = await open('one', 20);
    await store.upsert(records);
    const narrow = await recall(store);
    const wide = await recall(await open('one', 500));
    const narrowAgain = await recall(await open('one', 20));
    expect(narrow).toBeLessThan(0.9);
    expect(wide).toBeGreaterThan(0.99);
    expect(narrowAgain).toBe(narrow);

    const other = await open('other', 500);
    await other.upsert(records);
    expect(await recall(other)).toBeGreaterThan(0.99);
    expect(await recall(await open('other', 20))).toBeLessThan(0.9);
  });

  test('as large as the collection makes every answer exact', async () => {
    const few = records.slice(0, 900);
    const near = new ExactVectorStore(fingerprint);
    const store = await open('few', 900);
    await Promise.all([near.upsert(few), store.upsert(few)]);
    for (const query of queries) {
      const [expected, hits] = await Promise.all([near.query(query, topK), store.query(query, topK)]);
      expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    }
    await store.close();
  });
});

function numbered(vectors: readonly Float32Array[]): VectorRecord[] {
  return vectors.map((vector, index) => ({ id: `id-${index}`, vector }));
}
