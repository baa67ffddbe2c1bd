import assert from 'node:assert/strict';
import type { VectorStore } from '@kettle/vector-store';
import { assertHolds, assertRejects } from '../assertions.js';
import type { ContractCase } from '../contract-case.js';
import type { ContractOptions } from '../contract-options.js';
import { allIds, fingerprintOf, randomRecords, record } from '../data.js';

const persistent = ({ capabilities }: ContractOptions) => capabilities.persistent;

export const persistenceCases: readonly ContractCase[] = [
  {
    name: 'resolves persist and keeps its records',
    requirement: 'volatility',
    applies: ({ capabilities }) => !capabilities.persistent,
    async run(context) {
      const store = await context.open(fingerprintOf(2));
      await store.upsert([record('held', 1, 0)]);
      await store.persist();
      await assertHolds(store, [record('held', 1, 0)]);
    },
  },
  {
    name: 'opens again with what was persisted',
    requirement: 'persistence',
    applies: persistent,
    async run(context) {
      const place = context.newPlace();
      const records = randomRecords(300, 24);
      const store = await context.open(fingerprintOf(24), place);
      await store.upsert(records);
      await store.delete(['r1', 'r299']);
      await store.upsert([{ id: 'r2', vector: records[1]!.vector }]);
      await store.persist();
      const left = records
        .filter(({ id }) => id !== 'r1' && id !== 'r299')
        .map(({ id, vector }) => (id === 'r2' ? { id, vector: records[1]!.vector } : { id, vector }));
      await assertHolds(store, left);
      await store.close();
      await assertHolds(await context.open(fingerprintOf(24), place), left);
    },
  },
  {
    name: 'goes on from where it was, over several openings',
    requirement: 'persistence',
    applies: persistent,
    async run(context) {
      const place = context.newPlace();
      let records = randomRecords(0, 6);
      for (let round = 0; round < 4; round++) {
        const store = await context.open(fingerprintOf(6), place);
        await assertHolds(store, records);
        const added = randomRecords(40, 6, round, `round${round}-`);
        const removed = new Set(records.slice(0, 15).map(({ id }) => id));
        await store.upsert(added);
        await store.delete([...removed]);
        await store.persist();
        await store.persist();
        records = [...records.filter(({ id }) => !removed.has(id)), ...added];
        await store.close();
      }
      await assertHolds(await context.open(fingerprintOf(6), place), records);
    },
  },
  ...[
    {
      what: 'a persisted clear',
      async leave(store: VectorStore) {
        await store.upsert(randomRecords(40, 6));
        await store.persist();
        await store.clear();
        await store.persist();
      },
    },
    { what: 'persisting nothing', leave: (store: VectorStore) => store.persist() },
  ].map(
    ({ what, leave }): ContractCase => ({
      name: `opens again empty after ${what}`,
      requirement: 'persistence',
      applies: persistent,
      async run(context) {
        const place = context.newPlace();
        const store = await context.open(fingerprintOf(6), place);
        await leave(store);
        await store.close();
        const again = await context.open(fingerprintOf(6), place);
        await assertHolds(again, []);
        await again.upsert(randomRecords(30, 6));
        await assertHolds(again, randomRecords(30, 6));
      },
    }),
  ),
  {
    name: 'loses at most what was not persisted',
    requirement: 'persistence',
    applies: persistent,
    async run(context) {
      const place = context.newPlace();
      const store = await context.open(fingerprintOf(6), place);
      const persisted = randomRecords(40, 6);
      const late = randomRecords(10, 6, 2, 'late-');
      await store.upsert(persisted);
      await store.persist();
      await store.upsert(late);
      await store.close();
      const again = await context.open(fingerprintOf(6), place);
      const ids = new Set(await allIds(again));
      for (const { id } of persisted) assert.ok(ids.has(id), `${id} was persisted`);
      await assertHolds(
        again,
        [...persisted, ...late].filter(({ id }) => ids.has(id)),
      );
    },
  },
  {
    name: 'keeps places apart',
    requirement: 'persistence',
    applies: persistent,
    async run(context) {
      const places = [context.newPlace(), context.newPlace()] as const;
      const [one, other] = await Promise.all(places.map((place) => context.open(fingerprintOf(2), place)));
      await Promise.all([one!.upsert([record('one', 1, 0)]), other!.upsert([record('other', 0, 1)])]);
      await Promise.all([one!.persist(), other!.persist()]);
      await assertHolds(one!, [record('one', 1, 0)]);
      await Promise.all([one!.close(), other!.close()]);
      await assertHolds(await context.open(fingerprintOf(2), places[0]), [record('one', 1, 0)]);
      await assertHolds(await context.open(fingerprintOf(2), places[1]), [record('other', 0, 1)]);
    },
  },
  ...[
    { what: 'another model', other: fingerprintOf(6, 'other-model') },
    { what: 'another dimension', other: fingerprintOf(7) },
  ].map(
    ({ what, other }): ContractCase => ({
      name: `refuses stored data of ${what}, and leaves it as it is`,
      requirement: 'fingerprint',
      applies: persistent,
      async run(context) {
        const place = context.newPlace();
        const records = randomRecords(20, 6);
        const store = await context.open(fingerprintOf(6), place);
        await store.upsert(records);
        await store.persist();
        await store.close();
        await assertRejects(() => context.open(other, place), 'fingerprint_mismatch', `opening for ${what}`);
        await assertHolds(await context.open(fingerprintOf(6), place), records);
      },
    }),
  ),
];
