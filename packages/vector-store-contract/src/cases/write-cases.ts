import assert from 'node:assert/strict';
import { assertHolds, assertNearest } from '../assertions.js';
import type { ContractCase } from '../contract-case.js';
import { allIds, fingerprintOf, randomRecords, record } from '../data.js';

/** Allowed ids that a careless store mistakes for something else. */
const unusualIds = [
  ...Array.from('ABCXYZabcxyz0189._:-'),
  ...['..', '__proto__', 'constructor', 'toString', 'null', '-1', '00', '1e3', 'a:b', 'a.b', '%-'.slice(1)],
  ...['A'.repeat(128), `${'A'.repeat(127)}B`, '0f'.repeat(16)],
];

export const writeCases: readonly ContractCase[] = [
  {
    name: 'replaces the record with the same id',
    requirement: 'upsert',
    async run(context) {
      const store = await context.open(fingerprintOf(8));
      const before = randomRecords(50, 8, 1);
      const after = randomRecords(50, 8, 2);
      await store.upsert(before);
      await store.upsert(after.slice(0, 20));
      await assertHolds(store, [...after.slice(0, 20), ...before.slice(20)]);
      await store.upsert(after);
      await assertHolds(store, after);
    },
  },
  {
    name: 'keeps the last of equal ids in one call',
    requirement: 'upsert',
    async run(context) {
      const store = await context.open(fingerprintOf(2));
      await store.upsert([record('twin', 1, 0), record('other', 1, 1), record('twin', 0, 1)]);
      await assertHolds(store, [record('twin', 0, 1), record('other', 1, 1)]);
      await store.upsert([record('other', 0, -1), record('other', -1, 0)]);
      await assertHolds(store, [record('twin', 0, 1), record('other', -1, 0)]);
    },
  },
  {
    name: 'takes no records and no ids as nothing to do',
    requirement: 'upsert',
    async run(context) {
      const store = await context.open(fingerprintOf(2));
      await store.upsert([]);
      await store.delete([]);
      await assertHolds(store, []);
    },
  },
  {
    name: 'grows: 2500 records in calls of different size',
    requirement: 'upsert',
    async run(context) {
      const store = await context.open(fingerprintOf(6));
      const records = randomRecords(2500, 6);
      for (let start = 0, size = 1; start < records.length; start += size, size = size * 2 + 1) {
        await store.upsert(records.slice(start, start + size));
      }
      assert.equal(await store.count(), records.length);
      const ids = await allIds(store);
      assert.equal(new Set(ids).size, ids.length, 'ids must give every id once');
      assert.deepEqual(ids.sort(), records.map((each) => each.id).sort());
      for (const { vector } of [records[0]!, records[1024]!, records.at(-1)!]) {
        await assertNearest(store, { records, query: vector, topK: 5, recall: context.options.recall });
      }
    },
  },
  {
    name: 'keeps unusual ids as they are',
    requirement: 'ids',
    async run(context) {
      const store = await context.open(fingerprintOf(5));
      const ids = [...new Set(unusualIds)];
      const records = randomRecords(ids.length, 5).map(({ vector }, index) => ({ id: ids[index]!, vector }));
      await store.upsert(records);
      await assertHolds(store, records);
      await store.delete(ids.slice(10));
      await assertHolds(store, records.slice(0, 10));
    },
  },
  {
    name: 'lists 5500 ids, each once',
    requirement: 'ids',
    async run(context) {
      const store = await context.open(fingerprintOf(3));
      const records = randomRecords(5500, 3);
      await store.upsert(records);
      const ids = await allIds(store);
      assert.equal(new Set(ids).size, ids.length, 'ids must give every id once');
      assert.deepEqual(ids.sort(), records.map(({ id }) => id).sort());
    },
  },
  {
    name: 'finds a deleted record no more, and passes over unknown ids',
    requirement: 'delete',
    async run(context) {
      const store = await context.open(fingerprintOf(8));
      const records = randomRecords(40, 8);
      await store.upsert(records);
      await store.delete(['r3', 'unknown', 'r3', 'r39', 'not an id at all', '']);
      const left = records.filter(({ id }) => id !== 'r3' && id !== 'r39');
      await assertHolds(store, left);
      await assertNearest(store, { records: left, query: records[3]!.vector, topK: 40 });
      await store.delete(['unknown']);
      await assertHolds(store, left);
    },
  },
  {
    name: 'finds the rest in full after nine of ten were deleted',
    requirement: 'delete',
    async run(context) {
      const store = await context.open(fingerprintOf(16));
      const records = randomRecords(500, 16);
      await store.upsert(records);
      await store.delete(records.slice(50).map(({ id }) => id));
      const left = records.slice(0, 50);
      for (const topK of [10, 50, 500]) {
        await assertNearest(store, { records: left, query: records[400]!.vector, topK });
      }
      await assertHolds(store, left);
    },
  },
  {
    name: 'finds the last ten in full after 1490 others were deleted',
    requirement: 'delete',
    async run(context) {
      const store = await context.open(fingerprintOf(16));
      const records = randomRecords(1500, 16);
      await store.upsert(records);
      // Those that stay are the farthest from the query, behind everything that is gone.
      const { vector } = records[0]!;
      const nearness = (other: Float32Array) =>
        other.reduce((sum, value, index) => sum + value * vector[index]!, 0) / Math.hypot(...other);
      const left = records.toSorted((a, b) => nearness(a.vector) - nearness(b.vector)).slice(0, 10);
      const kept = new Set(left.map(({ id }) => id));
      await store.delete(records.map(({ id }) => id).filter((id) => !kept.has(id)));
      for (const topK of [5, 10, 1500]) await assertNearest(store, { records: left, query: vector, topK });
      await assertHolds(store, left);
    },
  },
  {
    name: 'takes a record again after its deletion, under another vector',
    requirement: 'delete',
    async run(context) {
      const store = await context.open(fingerprintOf(4));
      const first = randomRecords(30, 4, 1);
      const second = randomRecords(30, 4, 2);
      for (let round = 0; round < 3; round++) {
        await store.upsert(first);
        await store.delete(first.map(({ id }) => id));
        await assertHolds(store, []);
        await store.upsert(second);
        await assertHolds(store, second);
      }
    },
  },
  {
    name: 'clears, and is filled again',
    requirement: 'clear',
    async run(context) {
      const store = await context.open(fingerprintOf(4));
      await store.clear();
      await store.upsert(randomRecords(200, 4, 1));
      await store.clear();
      await assertHolds(store, []);
      assert.deepEqual(await store.query(Float32Array.of(1, 0, 0, 0), 5), []);
      const again = randomRecords(20, 4, 2);
      await store.upsert(again);
      await assertHolds(store, again);
    },
  },
];
