import assert from 'node:assert/strict';
import {
  compareHits,
  ExactVectorStore,
  type VectorHit,
  type VectorRecord,
  type VectorStore,
  VectorStoreError,
  type VectorStoreErrorCode,
} from '@kettle/vector-store';
import { allIds } from './data.js';

/** Backends that sum in single precision differ from each other by less than this. */
export const tolerance = 1e-4;

export async function assertRejects(
  call: () => Promise<unknown>,
  code: VectorStoreErrorCode,
  what: string,
): Promise<void> {
  const error = await rejection(call, what);
  assert.ok(VectorStoreError.isInstance(error), `${what} must reject with a VectorStoreError, not ${error}`);
  assert.equal(error.code, code, `${what} must reject with ${code}: ${error.message}`);
  assert.notEqual(error.message, '', `${what} must reject with a message`);
}

/** What `call` rejects with. A call that throws instead of rejecting fails, since callers only await. */
export async function rejection(call: () => Promise<unknown>, what: string): Promise<unknown> {
  let promise: Promise<unknown>;
  try {
    promise = call();
  } catch (error) {
    assert.fail(`${what} must reject, but threw ${error}`);
  }
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return assert.fail(`${what} must reject, but was fulfilled`);
}

/** Ascending by distance, equal distances by id, no id twice. */
export function assertOrdered(hits: readonly VectorHit[]): void {
  hits.slice(1).forEach((hit, index) => {
    assert.ok(compareHits(hits[index]!, hit) < 0, `${show(hits[index]!)} must not come before ${show(hit)}`);
  });
  assert.equal(new Set(hits.map((hit) => hit.id)).size, hits.length, 'a query must give each id once');
}

export interface ExpectedQuery {
  /** Everything the store holds. */
  readonly records: readonly VectorRecord[];
  readonly query: Float32Array;
  readonly topK: number;
  readonly within?: ReadonlySet<string> | undefined;
  readonly recall?: number | undefined;
}

/** Queries the store and compares with the exact store, leaving room for rounding. */
export async function assertNearest(store: VectorStore, expected: ExpectedQuery): Promise<void> {
  const { records, query, topK, within, recall = 1 } = expected;
  const reference = new ExactVectorStore(store.fingerprint);
  await reference.upsert(records);
  const truth = await reference.query(query, records.length + 1, { within });
  const distances = new Map(truth.map((hit) => [hit.id, hit.distance]));

  const hits = await store.query(query, topK, { within });
  const length = Math.min(topK, truth.length);
  assert.equal(hits.length, length, `topK ${topK} of ${truth.length} records must give ${length} hits`);
  assertOrdered(hits);
  for (const hit of hits) {
    const distance = distances.get(hit.id);
    assert.ok(distance !== undefined, `${hit.id} must not be found`);
    assertClose(hit.distance, distance, `the distance of ${hit.id}`);
  }
  // Of two records closer together than rounding either is right, so places are compared by distance.
  const right = hits.filter((hit, index) => hit.distance <= truth[index]!.distance + tolerance).length;
  assert.ok(right >= recall * length, `${right} of ${length} hits are nearest, expected ${recall}`);
}

/** The store holds these records and no others. */
export async function assertHolds(store: VectorStore, records: readonly VectorRecord[]): Promise<void> {
  assert.equal(await store.count(), records.length, 'count must be the number of records');
  assert.deepEqual(
    (await allIds(store)).sort(),
    records.map((record) => record.id).sort(),
    'ids must be those of the records',
  );
  for (const { vector } of records.slice(0, 3)) {
    await assertNearest(store, { records, query: vector, topK: records.length });
  }
}

export function assertClose(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what} must be ${expected}, is ${actual}`);
}

function show(hit: VectorHit): string {
  return `${hit.id} at ${hit.distance}`;
}
