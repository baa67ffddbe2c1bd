import assert from 'node:assert/strict';
import { assertNearest } from '../assertions.js';
import type { ContractCase } from '../contract-case.js';
import { fingerprintOf, randomNumbers, randomRecords, randomVector } from '../data.js';

const dimensions = 12;
const records = randomRecords(800, dimensions);
const query = randomVector(randomNumbers(3), dimensions);

/** Record ids, the nearest to `query` first. */
function byDistance(): string[] {
  const cosine = (vector: Float32Array) =>
    vector.reduce((sum, value, index) => sum + value * query[index]!, 0) / Math.hypot(...vector);
  return records.toSorted((a, b) => cosine(b.vector) - cosine(a.vector)).map(({ id }) => id);
}

const selections: Record<string, () => string[]> = {
  'one of many': () => ['r500'],
  'three, with unknown ids among them': () => ['unknown', 'r1', 'r2', 'nobody', 'r3'],
  'only unknown ids': () => ['unknown', 'nobody'],
  'no ids': () => [],
  'the farthest twelve': () => byDistance().slice(-12),
  'the farther half': () => byDistance().slice(400),
  'every other record': () => records.filter((_, index) => index % 2 === 0).map(({ id }) => id),
  'all but the nearest ten': () => byDistance().slice(10),
  // More than one request holds, in some backends.
  'more than 500 ids, unknown ones and the farthest among them': () => [
    ...byDistance().slice(0, 550),
    ...Array.from({ length: 40 }, (_, index) => `unknown-${index}`),
    ...byDistance().slice(-1),
  ],
  'all records': () => records.map(({ id }) => id),
};

export const withinCases: readonly ContractCase[] = [
  ...Object.entries(selections).map(
    ([name, select]): ContractCase => ({
      name: `searches within ${name}`,
      requirement: 'within',
      async run(context) {
        const store = await context.open(fingerprintOf(dimensions));
        await store.upsert(records);
        const within = new Set(select());
        for (const topK of [1, 10, 1000]) {
          await assertNearest(store, { records, query, topK, within, recall: context.options.recall });
        }
      },
    }),
  ),
  {
    name: 'searches within ids of which some are deleted and one came back',
    requirement: 'within',
    async run(context) {
      const store = await context.open(fingerprintOf(dimensions));
      await store.upsert(records);
      const ids = records.map(({ id }) => id);
      await store.delete(ids.slice(0, 700));
      await store.upsert(records.slice(0, 1));
      const left = [records[0]!, ...records.slice(700)];
      for (const within of [new Set(ids.slice(0, 30)), new Set(ids.slice(0, 703)), new Set(ids)]) {
        await assertNearest(store, { records: left, query, topK: 20, within });
      }
    },
  },
  {
    name: 'searches an empty store within ids',
    requirement: 'within',
    async run(context) {
      const store = await context.open(fingerprintOf(dimensions));
      assert.deepEqual(await store.query(query, 3, { within: new Set(['r1']) }), []);
    },
  },
];
