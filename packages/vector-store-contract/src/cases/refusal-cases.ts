import type { VectorRecord, VectorStoreErrorCode } from '@kettle/vector-store';
import { assertHolds, assertRejects } from '../assertions.js';
import type { ContractCase } from '../contract-case.js';
import { fingerprintOf, randomRecords, record } from '../data.js';

interface Bad<T> {
  readonly what: string;
  readonly code: VectorStoreErrorCode;
  readonly value: T;
}

const badVectors: readonly Bad<Float32Array>[] = [
  { what: 'a dimension too few', code: 'dimension_mismatch', value: Float32Array.of(1, 2) },
  { what: 'a dimension too many', code: 'dimension_mismatch', value: Float32Array.of(1, 2, 3, 4) },
  { what: 'no dimensions', code: 'dimension_mismatch', value: new Float32Array(0) },
  { what: 'NaN', code: 'invalid_vector', value: Float32Array.of(1, Number.NaN, 3) },
  { what: 'an infinite number', code: 'invalid_vector', value: Float32Array.of(1, 2, Infinity) },
  { what: 'a negative infinite number', code: 'invalid_vector', value: Float32Array.of(-Infinity, 2, 3) },
  { what: 'only zeros', code: 'invalid_vector', value: Float32Array.of(0, 0, 0) },
  { what: 'only negative zeros', code: 'invalid_vector', value: Float32Array.of(-0, -0, -0) },
];

const badIds: readonly Bad<string>[] = [
  '',
  'x'.repeat(129),
  'a b',
  'a/b',
  'é',
  'a\n',
  '\u0000',
  'a,b',
  7 as unknown as string,
].map((value) => ({
  what: `the id ${JSON.stringify(value).slice(0, 20)}`,
  code: 'invalid_argument',
  value,
}));

const badRecords: readonly Bad<VectorRecord>[] = [
  ...badVectors.map((bad) => ({ ...bad, value: { id: 'bad', vector: bad.value } })),
  ...badIds.map((bad) => ({ ...bad, value: record(bad.value, 1, 2, 3) })),
];

export const refusalCases: readonly ContractCase[] = [
  ...badRecords.map(
    ({ what, code, value }): ContractCase => ({
      name: `refuses a record with ${what} and stores nothing of that call`,
      requirement: 'all-or-nothing',
      async run(context) {
        const store = await context.open(fingerprintOf(3));
        const held = [record('held', 1, 0, 0)];
        await store.upsert(held);
        for (const good of [0, 1, 300]) {
          const others = [record('held', 0, 1, 0), ...randomRecords(good, 3)].slice(0, good);
          for (const input of [
            [value, ...others],
            [...others, value],
            [...others, value, ...others],
          ]) {
            await assertRejects(() => store.upsert(input), code, `upsert of ${what}`);
          }
        }
        await assertHolds(store, held);
      },
    }),
  ),
  ...badVectors.map(
    ({ what, code, value }): ContractCase => ({
      name: `refuses a query vector with ${what}`,
      requirement: 'refusal',
      async run(context) {
        const store = await context.open(fingerprintOf(3));
        await assertRejects(() => store.query(value, 3), code, `a query with ${what} of an empty store`);
        await store.upsert([record('held', 1, 0, 0)]);
        await assertRejects(() => store.query(value, 3), code, `a query with ${what}`);
        const within = new Set<string>();
        await assertRejects(
          () => store.query(value, 3, { within }),
          code,
          `a query with ${what} within no ids`,
        );
      },
    }),
  ),
  ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5' as unknown as number].map(
    (topK): ContractCase => ({
      name: `refuses a topK of ${JSON.stringify(topK) === 'null' ? topK : JSON.stringify(topK)}`,
      requirement: 'refusal',
      async run(context) {
        const store = await context.open(fingerprintOf(3));
        const query = Float32Array.of(1, 0, 0);
        await assertRejects(
          () => store.query(query, topK),
          'invalid_argument',
          `topK ${topK} of an empty store`,
        );
        await store.upsert([record('held', 1, 0, 0)]);
        await assertRejects(() => store.query(query, topK), 'invalid_argument', `topK ${topK}`);
      },
    }),
  ),
];
