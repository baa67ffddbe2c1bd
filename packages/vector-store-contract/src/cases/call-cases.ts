import assert from 'node:assert/strict';
import type { CallOptions, VectorRecord, VectorStore } from '@kettle/vector-store';
import { assertHolds, assertNearest, assertRejects, rejection } from '../assertions.js';
import type { ContractCase } from '../contract-case.js';
import { fingerprintOf, randomRecords, record } from '../data.js';

/** Every method, called with input that is right. */
const calls: Record<string, (store: VectorStore, options?: CallOptions) => Promise<unknown>> = {
  upsert: (store, options) => store.upsert([record('new', 0, 1)], options),
  delete: (store, options) => store.delete(['held'], options),
  query: (store, options) => store.query(Float32Array.of(1, 0), 1, options),
  count: (store, options) => store.count(options),
  ids: async (store, options) => {
    for await (const _page of store.ids(options));
  },
  clear: (store, options) => store.clear(options),
  persist: (store, options) => store.persist(options),
};

const held = [record('held', 1, 0), record('kept', 1, 1)];

export const callCases: readonly ContractCase[] = [
  ...Object.entries(calls).map(
    ([method, call]): ContractCase => ({
      name: `rejects ${method} with the reason when its signal was aborted before, and changes nothing`,
      requirement: 'abort',
      async run(context) {
        const store = await context.open(fingerprintOf(2));
        await store.upsert(held);
        const reason = new Error('no longer wanted');
        const error = await rejection(() => call(store, { signal: AbortSignal.abort(reason) }), method);
        assert.equal(error, reason);
        await assertHolds(store, held);
      },
    }),
  ),
  ...Object.entries(calls)
    .filter(([method]) => method !== 'persist')
    .map(
      ([method, call]): ContractCase => ({
        name: `rejects ${method} with the reason when its signal is aborted meanwhile, and stays usable`,
        requirement: 'abort',
        async run(context) {
          const store = await context.open(fingerprintOf(2));
          await store.upsert(held);
          const reason = new Error('no longer wanted');
          const controller = new AbortController();
          const started = () => {
            const promise = call(store, { signal: controller.signal });
            controller.abort(reason);
            return promise;
          };
          assert.equal(await rejection(started, method), reason);
          await store.clear();
          await store.upsert(held);
          await assertHolds(store, held);
        },
      }),
    ),
  {
    name: 'is not disturbed by a signal that is aborted after the call',
    requirement: 'abort',
    async run(context) {
      const store = await context.open(fingerprintOf(2));
      const controller = new AbortController();
      await store.upsert(held, { signal: controller.signal });
      await store.query(Float32Array.of(1, 0), 1, { signal: controller.signal });
      controller.abort();
      await assertHolds(store, held);
    },
  },
  {
    name: 'serves many calls at once',
    requirement: 'concurrency',
    async run(context) {
      const store = await context.open(fingerprintOf(8));
      const records = randomRecords(400, 8);
      const doomed = randomRecords(100, 8, 2, 'doomed-');
      await store.upsert(doomed);
      const distances = new Set<number>();
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const part = records.slice(index * 20, index * 20 + 20);
          const [hits] = await Promise.all([
            store.query(part[0]!.vector, 3),
            store.upsert(part),
            store.delete(doomed.slice(index * 5, index * 5 + 5).map(({ id }) => id)),
            store.count(),
          ]);
          for (const hit of hits) distances.add(hit.distance);
          await assertOwnVectorFound(store, part[0]!.id, part[0]!.vector);
        }),
      );
      for (const distance of distances) assert.ok(distance >= 0 && distance <= 2);
      await assertHolds(store, records);
    },
  },
  {
    name: 'does not mix up the answers of queries under way together',
    requirement: 'concurrency',
    async run(context) {
      const store = await context.open(fingerprintOf(8));
      const records = randomRecords(100, 8);
      await store.upsert(records);
      await Promise.all(
        records.map((each, index) =>
          assertNearest(store, { records, query: each.vector, topK: 1 + (index % 7) }),
        ),
      );
    },
  },
  {
    name: 'reads records, ids and query vectors before the call returns its promise',
    requirement: 'input-read',
    async run(context) {
      const store = await context.open(fingerprintOf(2));
      const reused = Float32Array.of(1, 0);
      const records: VectorRecord[] = [{ id: 'reused', vector: reused }];
      const upserted = store.upsert(records);
      records.push(record('late', 0, 1));
      reused.set([0, -1]);
      await upserted;
      await assertHolds(store, [record('reused', 1, 0)]);

      const query = Float32Array.of(1, 0);
      const queried = store.query(query, 1);
      query.set([-1, 0]);
      assert.ok((await queried)[0]!.distance < 0.5, 'the query must be read at once');

      const ids = ['unknown'];
      const deleted = store.delete(ids);
      ids.push('reused');
      await deleted;
      assert.equal(await store.count(), 1);
    },
  },
  {
    name: 'closes twice, also at once',
    requirement: 'close',
    async run(context) {
      const store = await context.open(fingerprintOf(2));
      await store.upsert(held);
      await Promise.all([store.close(), store.close()]);
      await store.close();
    },
  },
  ...Object.entries(calls).flatMap(([method, call]): ContractCase[] => [
    {
      name: `rejects ${method} after close`,
      requirement: 'close',
      async run(context) {
        const store = await context.open(fingerprintOf(2));
        await store.upsert(held);
        await store.close();
        await assertRejects(() => call(store), 'closed', method);
      },
    },
    {
      name: `rejects ${method} under way at close`,
      requirement: 'close',
      async run(context) {
        const store = await context.open(fingerprintOf(2));
        await store.upsert(held);
        const started = () => {
          const promise = call(store);
          void store.close();
          return promise;
        };
        await assertRejects(started, 'closed', method);
      },
    },
  ]),
];

async function assertOwnVectorFound(store: VectorStore, id: string, vector: Float32Array): Promise<void> {
  const [hit] = await store.query(vector, 1);
  assert.equal(hit?.id, id, 'a record must be found once its upsert is fulfilled');
}
