import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { ExactVectorStore, type VectorRecord } from '@kettle/vector-store';
import { type HnswParameters, HnswVectorStore } from '@kettle/vector-store-hnsw';
import { describe, expect, test } from 'vitest';
import { fingerprint, numberedRecords, openStore, temporaryDirectory } from './helpers.js';

/** Vectors around common centres, as those of texts are: directions at random are harder than any real data. */
function clusteredVectors(count: number, dimensions: number): Float32Array[] {
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Array.from({ length: 50 }, () => Array.from({ length: dimensions }, normal));
  return Array.from({ length: count }, () => {
    const centre = centres[Math.floor(random() * centres.length)]!;
    return Float32Array.from(centre, (value) => value + 0.8 * normal());
  });
}

function asRecords(vectors: readonly Float32Array[]): VectorRecord[] {
  return vectors.map((vector, index) => ({ id: `v${index}`, vector }));
}

async function recallAt10(
  store: HnswVectorStore,
  records: readonly VectorRecord[],
  queries: readonly Float32Array[],
): Promise<number> {
  const exact = new ExactVectorStore(store.fingerprint);
  await exact.upsert(records);
  let found = 0;
  for (const query of queries) {
    const truth = new Set((await exact.query(query, 10)).map(({ id }) => id));
    found += (await store.query(query, 10)).filter(({ id }) => truth.has(id)).length;
  }
  return found / (10 * queries.length);
}

describe('recall@10 with default settings', () => {
  const model = { model: 'clustered', dimensions: 128, metric: 'cosine' } as const;
  const vectors = clusteredVectors(6100, model.dimensions);
  const records = asRecords(vectors.slice(0, 6000));
  const queries = vectors.slice(6000);

  test('is at least 0.99, also after opening again', async () => {
    const directory = await temporaryDirectory();
    const { store } = await openStore(directory, { fingerprint: model });
    await store.upsert(records);
    expect(await recallAt10(store, records, queries)).toBeGreaterThanOrEqual(0.99);
    await store.persist();
    await store.close();
    const again = await openStore(directory, { fingerprint: model });
    expect(await recallAt10(again.store, records, queries)).toBeGreaterThanOrEqual(0.99);
  });

  test('stays there when records come and go, and the index does not grow with what is gone', async () => {
    const { store } = await openStore(await temporaryDirectory(), { fingerprint: model });
    const [first, second, third] = [0, 1, 2].map((part) => records.slice(part * 2000, (part + 1) * 2000));
    await store.upsert(first!);
    for (const [gone, come] of [
      [first!, second!],
      [second!, third!],
      [third!, first!],
    ]) {
      for (let start = 0; start < come!.length; start += 250) {
        await store.upsert(come!.slice(start, start + 250));
        await store.delete(gone!.slice(start, start + 250).map(({ id }) => id));
      }
    }
    expect(await store.count()).toBe(2000);
    expect(await recallAt10(store, first!, queries)).toBeGreaterThanOrEqual(0.99);
  });
});

describe('the index thread', () => {
  test('answers queries while a large insert is under way', async () => {
    const { store } = await openStore(await temporaryDirectory(), {
      fingerprint: { ...fingerprint, dimensions: 64 },
    });
    const records = asRecords(clusteredVectors(3000, 64));
    await store.upsert(records.slice(0, 1));
    let inserted = false;
    const insert = store.upsert(records).then(() => {
      inserted = true;
    });
    let answered = 0;
    while (!inserted) {
      const [hit] = await store.query(records[0]!.vector, 1);
      expect(hit?.id).toBe('v0');
      answered++;
    }
    await insert;
    expect(answered).toBeGreaterThan(5);
  });

  test('drops the rest of an aborted insert', async () => {
    const { store } = await openStore(await temporaryDirectory(), {
      fingerprint: { ...fingerprint, dimensions: 64 },
    });
    const controller = new AbortController();
    const insert = store.upsert(asRecords(clusteredVectors(5000, 64)), { signal: controller.signal });
    while ((await store.count()) === 0);
    controller.abort();
    await expect(insert).rejects.toThrow('aborted');
    await store.delete([]);
    const count = await store.count();
    expect(count).toBeLessThan(5000);
    await store.upsert(asRecords(clusteredVectors(100, 64)));
    expect(await store.count()).toBe(Math.max(count, 100));
  });

  test('closes in the middle of an insert', async () => {
    const { store } = await openStore(await temporaryDirectory(), {
      fingerprint: { ...fingerprint, dimensions: 64 },
    });
    const insert = store.upsert(asRecords(clusteredVectors(20_000, 64)));
    insert.catch(() => {});
    await store.count();
    await store.close();
    await expect(insert).rejects.toMatchObject({ code: 'closed' });
  });

  test('that ends without being asked leaves no call waiting', async () => {
    const started = new Promise<Worker>((resolve) => process.once('worker', resolve));
    const { store } = await openStore(await temporaryDirectory());
    const calls = [
      store.upsert(asRecords(clusteredVectors(3000, fingerprint.dimensions))),
      store.query(new Float32Array(fingerprint.dimensions).fill(1), 3),
      store.persist(),
    ];
    const settled = Promise.allSettled(calls);
    // A message that it can't read. Terminating it from here, in the middle of hnswlib, may abort the process.
    (await started).postMessage(null);
    for (const outcome of await settled) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'unavailable' });
    }
    await expect(calls[2]).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.count()).rejects.toMatchObject({ code: 'unavailable' });
    await store.close();
  });

  test('does not abort a process that exits in the middle of an insert', async () => {
    const child = join(import.meta.dirname, 'exit-child.mjs');
    const ends = await Promise.all(
      Array.from({ length: 20 }, async (_, place) => {
        const directory = await temporaryDirectory();
        const started = spawn(process.execPath, [child, directory, `${10 * place}`], { stdio: 'ignore' });
        return (await once(started, 'exit'))[0];
      }),
    );
    expect(ends).toEqual(ends.map(() => 0));
  });

  test('serves several stores of one process', async () => {
    const stores = await Promise.all(
      Array.from({ length: 4 }, async () => (await openStore(await temporaryDirectory())).store),
    );
    await Promise.all(
      stores.map((store, index) => store.upsert(numberedRecords(index * 100, index * 100 + 50))),
    );
    for (const [index, store] of stores.entries()) {
      const [record] = numberedRecords(index * 100, index * 100 + 1);
      expect(await store.query(record!.vector, 1)).toEqual([
        { id: record!.id, distance: expect.closeTo(0, 5) },
      ]);
    }
  });
});

describe('options', () => {
  test.each([
    ['m', 1],
    ['m', 101],
    ['m', 2.5],
    ['efConstruction', 0],
    ['efSearch', 10_001],
    ['efSearch', Number.NaN],
  ] as const)('%s of %d is refused, naming both', async (name, value) => {
    const parameters: HnswParameters = { [name]: value };
    const opened = HnswVectorStore.open({ directory: 'unused', fingerprint, ...parameters });
    await expect(opened).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(`${name} is ${value}`),
    });
  });

  test('a signal ends opening', async () => {
    const directory = await temporaryDirectory();
    const controller = new AbortController();
    const opened = HnswVectorStore.open({ directory, fingerprint, signal: controller.signal });
    controller.abort(new Error('no longer wanted'));
    await expect(opened).rejects.toThrow('no longer wanted');
  });
});
