import { ExactVectorStore, type VectorHit, type VectorRecord } from '@kettle/vector-store';
import { ChromaVectorStore } from '@kettle/vector-store-chroma';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chroma } from './support/chroma-command.js';
import { answer, listen, passOn } from './support/front.js';
import { useServer } from './support/private-server.js';

const fingerprint = { model: 'test', dimensions: 8, metric: 'cosine' } as const;
const vector = (seed: number) =>
  Float32Array.from({ length: 8 }, (_, place) => Math.sin(seed * (place + 1) * 1.7));
const numbered = (count: number): VectorRecord[] =>
  Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, vector: vector(index + 1) }));

describe.skipIf(!chroma.available)('what Chroma does differently is evened out', () => {
  const own = useServer();

  async function both(corpusId: string, records: readonly VectorRecord[]) {
    const exact = new ExactVectorStore(fingerprint);
    const address = own.url;
    const store = await ChromaVectorStore.open({ server: address, fingerprint, corpusId, deadline: 30_000 });
    onTestFinished(() => store.close());
    await Promise.all([exact.upsert(records), store.upsert(records)]);
    return {
      exact,
      store,
      async agree(query: Float32Array, topK: number, within?: ReadonlySet<string>) {
        const [expected, hits] = await Promise.all([
          exact.query(query, topK, { within }),
          store.query(query, topK, { within }),
        ]);
        expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        for (const [rank, { distance }] of hits.entries()) {
          expect(distance).toBeCloseTo(expected[rank]!.distance, 4);
        }
      },
    };
  }

  test('ties at the cut go by id, however many there are', async () => {
    const equal = numbered(300).map(({ id }) => ({ id, vector: vector(1) }));
    const { agree } = await both('ties', [
      ...equal,
      { id: 'a-far-one', vector: vector(1).map((value) => -value) },
    ]);
    for (const topK of [1, 5, 299, 300, 301, 500]) await agree(vector(1), topK);
  });

  test('a selection of hundreds of ids is honoured, of which some are not there', async () => {
    const { agree } = await both('selection', numbered(1500));
    const every = (step: number, from = 0) =>
      new Set(Array.from({ length: 1500 / step }, (_, index) => `id-${from + index * step}`));
    for (const within of [every(2), every(2, 1), every(1), every(2, 600), every(1, 1400)]) {
      expect(within.size).toBeGreaterThan(500);
      for (const topK of [1, 10, 200, 2000]) await agree(vector(7), topK, within);
    }
  });

  test('a selection far from the query is found', async () => {
    const near = numbered(2000).map(({ id }, index) => ({
      id: `near-${id}`,
      vector: vector(1 + index / 1e5),
    }));
    const far = numbered(600).map(({ id }, index) => ({
      id,
      vector: vector(1 + index / 1e5).map((value) => -value),
    }));
    const { agree } = await both('far', [...near, ...far]);
    await agree(vector(1), 5, new Set(far.map(({ id }) => id)));
  });

  test('nothing is missing after most of it was deleted', async () => {
    const { exact, store, agree } = await both('deleted', numbered(1500));
    const doomed = numbered(1490).map(({ id }) => id);
    await Promise.all([exact.delete(doomed), store.delete(doomed)]);
    for (const topK of [5, 10, 100]) await agree(vector(3), topK);
    await agree(vector(3), 10, new Set(numbered(1500).map(({ id }) => id)));
  });

  test('an index that finds fewer than there are does not shorten the answer', async () => {
    const { exact, store } = await both('short', numbered(30));
    const address = own.url;
    await using front = await listen((incoming, response) => {
      if (incoming.url?.endsWith('/query')) {
        answer(response, 200, { ids: [['id-3']], distances: [[0]], include: ['distances'] });
      } else passOn(address, incoming, response);
    });
    const short = await ChromaVectorStore.open({ server: front.url, fingerprint, corpusId: 'short' });
    onTestFinished(() => short.close());
    expect(short.collection).toBe(store.collection);
    const ids = (hits: readonly VectorHit[]) => hits.map(({ id }) => id);
    expect(ids(await short.query(vector(4), 5))).toEqual(ids(await exact.query(vector(4), 5)));
  });
});
