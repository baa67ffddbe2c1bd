import assert from 'node:assert/strict';
import { assertClose, assertHolds, assertNearest } from '../assertions.js';
import type { ContractCase } from '../contract-case.js';
import { fingerprintOf, randomNumbers, randomRecords, randomVector, record } from '../data.js';

export const queryCases: readonly ContractCase[] = [
  {
    name: 'says what it is',
    requirement: 'description',
    async run(context) {
      const store = await context.open(fingerprintOf(3));
      assert.equal(store.specificationVersion, 'v1');
      assert.match(store.backend, /^[a-z][a-z0-9-]*$/);
      assert.deepEqual({ ...store.fingerprint }, fingerprintOf(3));
      assert.deepEqual({ ...store.capabilities }, { ...context.options.capabilities });
    },
  },
  {
    name: 'gives the distances 0, 1 and 2 for the same, a right-angled and the opposite direction',
    requirement: 'nearest',
    async run(context) {
      const store = await context.open(fingerprintOf(2));
      await store.upsert([record('opposite', -1, 0), record('right', 0, 1), record('same', 1, 0)]);
      const hits = await store.query(Float32Array.of(1, 0), 3);
      assert.deepEqual(
        hits.map((hit) => hit.id),
        ['same', 'right', 'opposite'],
      );
      hits.forEach((hit, index) => {
        assertClose(hit.distance, index, hit.id);
        assert.ok(hit.distance >= 0 && hit.distance <= 2, `${hit.distance} is no cosine distance`);
      });
    },
  },
  ...[2, 17, 384].map(
    (dimensions): ContractCase => ({
      name: `finds the nearest of 600 records of ${dimensions} dimensions`,
      requirement: 'nearest',
      async run(context) {
        const store = await context.open(fingerprintOf(dimensions));
        const records = randomRecords(600, dimensions);
        await store.upsert(records);
        const random = randomNumbers(2);
        for (let round = 0; round < 10; round++) {
          const query = randomVector(random, dimensions);
          await assertNearest(store, { records, query, topK: 10, recall: context.options.recall });
        }
      },
    }),
  ),
  {
    name: 'orders equal vectors by id in code unit order',
    requirement: 'order',
    async run(context) {
      const store = await context.open(fingerprintOf(3));
      const ids = ['b', 'B', 'a', '10', '9', '_', 'e-', 'aa'];
      await store.upsert([record('far', -1, 0, 0), ...ids.map((id) => record(id, 1, 2, 3))]);
      const hits = await store.query(Float32Array.of(1, 2, 3), ids.length);
      assert.deepEqual(
        hits.map((hit) => hit.id),
        [...ids].sort(),
      );
    },
  },
  {
    name: 'gives the smallest ids where topK cuts through equal vectors',
    requirement: 'order',
    applies: ({ tiesAtCut = 'by id' }) => tiesAtCut === 'by id',
    async run(context) {
      const store = await context.open(fingerprintOf(3));
      await store.upsert(['e', 'c', 'a', 'd', 'b'].map((id) => record(id, 1, 2, 3)));
      const hits = await store.query(Float32Array.of(3, 2, 1), 3);
      assert.deepEqual(
        hits.map((hit) => hit.id),
        ['a', 'b', 'c'],
      );
    },
  },
  {
    // An approximate search may not find its way out of so many equal vectors.
    name: 'gives the smallest ids of 300 equal vectors, behind a nearer one',
    requirement: 'order',
    applies: ({ capabilities }) => capabilities.exact,
    async run(context) {
      const store = await context.open(fingerprintOf(3));
      const ids = Array.from({ length: 300 }, (_, index) => `twin-${String(index).padStart(3, '0')}`);
      const twins = ids.map((id) => record(id, 1, 2, 3));
      await store.upsert([record('nearer', 1, 1, 1), ...twins.toReversed(), record('far', -1, -1, -1)]);
      const hits = await store.query(Float32Array.of(1, 1, 1), 5);
      assert.deepEqual(
        hits.map((hit) => hit.id),
        ['nearer', ...ids.slice(0, 4)],
      );
    },
  },
  {
    name: 'gives as many of 300 equal vectors as are asked for',
    requirement: 'full-answer',
    async run(context) {
      const store = await context.open(fingerprintOf(3));
      const records = Array.from({ length: 300 }, (_, index) => record(`twin-${index}`, 1, 2, 3));
      await store.upsert(records);
      for (const topK of [5, 200, 300]) {
        await assertNearest(store, { records, query: Float32Array.of(3, 2, 1), topK });
      }
    },
  },
  {
    name: 'gives some of them where topK cuts through equal vectors',
    requirement: 'order',
    applies: ({ tiesAtCut = 'by id' }) => tiesAtCut === 'any',
    async run(context) {
      const store = await context.open(fingerprintOf(3));
      const records = ['e', 'c', 'a', 'd', 'b'].map((id) => record(id, 1, 2, 3));
      await store.upsert(records);
      await assertNearest(store, { records, query: Float32Array.of(3, 2, 1), topK: 3 });
    },
  },
  {
    name: 'keeps equal vectors under different ids apart',
    requirement: 'full-answer',
    async run(context) {
      const store = await context.open(fingerprintOf(8));
      const [original] = randomRecords(1, 8);
      const copies = Array.from({ length: 60 }, (_, index) => ({ ...original!, id: `copy-${index}` }));
      await store.upsert(copies);
      await assertHolds(store, copies);
    },
  },
  {
    name: 'compares by direction, not by length',
    requirement: 'direction',
    async run(context) {
      const store = await context.open(fingerprintOf(3));
      const records = [
        record('long-but-off', 5000, 5000, 0),
        record('short-but-right', 0.01, 0.0001, 0),
        record('unit', 0.6, 0.8, 0),
      ];
      await store.upsert(records);
      for (const scale of [1, 0.001, 1000]) {
        const query = Float32Array.of(scale, 0, 0);
        await assertNearest(store, { records, query, topK: 3 });
        assert.equal((await store.query(query, 1))[0]?.id, 'short-but-right');
      }
    },
  },
  {
    name: 'compares vectors whose squares leave single precision',
    requirement: 'direction',
    async run(context) {
      const store = await context.open(fingerprintOf(2));
      const records = [
        record('huge', 3e30, 4e30),
        record('tiny', 4e-30, 3e-30),
        record('mixed', 1e30, 1e-30),
      ];
      await store.upsert(records);
      for (const query of [Float32Array.of(1e-30, 0), Float32Array.of(0, 1e30)]) {
        await assertNearest(store, { records, query, topK: 3 });
      }
    },
  },
  {
    name: 'gives nothing from an empty store',
    requirement: 'full-answer',
    async run(context) {
      const store = await context.open(fingerprintOf(3));
      assert.equal(await store.count(), 0);
      assert.deepEqual(await store.query(Float32Array.of(1, 0, 0), 5), []);
    },
  },
  {
    name: 'gives all records for a topK above their number',
    requirement: 'full-answer',
    async run(context) {
      const store = await context.open(fingerprintOf(16));
      const records = randomRecords(300, 16);
      await store.upsert(records.slice(0, 1));
      await assertNearest(store, { records: records.slice(0, 1), query: records[1]!.vector, topK: 10 });
      await store.upsert(records);
      for (const topK of [299, 300, 301, 1_000_000]) {
        await assertNearest(store, { records, query: records[7]!.vector, topK });
      }
    },
  },
];
