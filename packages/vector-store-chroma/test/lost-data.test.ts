import { describe, expect, test } from 'vitest';
import { all } from './support/all.js';
import { chroma } from './support/chroma-command.js';
import { useServer } from './support/private-server.js';
import { calls, open, records } from './support/store.js';

describe.skipIf(!chroma.available)('a collection', () => {
  const own = useServer();

  test('that was replaced tells each of its users once, and serves them again', async () => {
    const [one, other] = [
      await open(own.url, { corpusId: 'replaced' }),
      await open(own.url, { corpusId: 'replaced' }),
    ];
    await one.upsert(records);
    await drop(own.url, one.collection);
    await expect(one.query(Float32Array.of(1, 0), 1)).rejects.toMatchObject({ code: 'data_lost' });
    await one.upsert(records);
    await expect(other.count()).rejects.toMatchObject({ code: 'data_lost' });
    expect(await other.count()).toBe(2);
    expect(await other.query(Float32Array.of(1, 0), 1)).toEqual([{ id: 'a', distance: 0 }]);
  });

  test.each(Object.entries(calls))('that is gone shows in %s', async (name, call) => {
    const store = await open(own.url, { corpusId: `lost to ${name}` });
    await store.upsert(records);
    await drop(own.url, store.collection);
    await expect(call(store)).rejects.toMatchObject({ code: 'data_lost' });
  });

  test('that is gone never reads as "no results", and is filled again', async () => {
    const store = await open(own.url, { corpusId: 'lost' });
    await store.upsert(records);
    await drop(own.url, store.collection);
    for (let round = 0; round < 2; round++) {
      await expect(store.query(Float32Array.of(1, 0), 1)).rejects.toMatchObject({ code: 'data_lost' });
      await expect(store.count()).rejects.toMatchObject({ code: 'data_lost' });
    }
    // What levelling a store does: look at what is there, remove what is too much, add what is missing.
    expect(await all(store.ids())).toEqual([]);
    await store.delete(['a']);
    await store.clear();
    await expect(store.count()).rejects.toMatchObject({ code: 'data_lost' });
    await store.upsert(records);
    expect(await store.count()).toBe(2);
    expect(await store.query(Float32Array.of(1, 0), 1)).toEqual([{ id: 'a', distance: 0 }]);
  });
});

async function drop(url: string, collection: string): Promise<void> {
  const path = `/api/v2/tenants/default_tenant/databases/default_database/collections/${collection}`;
  const { ok } = await fetch(url + path, { method: 'DELETE' });
  expect(ok).toBe(true);
}
