import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { VectorStoreError } from '@kettle/vector-store';
import { ChromaServer } from '@kettle/vector-store-chroma';
import { describe, expect, test } from 'vitest';
import { all } from './support/all.js';
import { chroma } from './support/chroma-command.js';
import { OutsideServer } from './support/outside-server.js';
import { serverPid, untilGone } from './support/processes.js';
import { calls, fingerprint, open, record, records } from './support/store.js';
import { tempDir } from './support/temp-dir.js';

describe.skipIf(!chroma.available)('a server', () => {
  test('of our own that is killed during an upsert is healed', async () => {
    await using own = await tempDir();
    const ours = await ChromaServer.start({ directory: own.path, command: chroma.command });
    const store = await open(ours, { fingerprint: { ...fingerprint, dimensions: 384 }, deadline: 30_000 });
    const many = Array.from({ length: 2000 }, (_, index) =>
      record(
        `id-${index}`,
        ...Array.from({ length: 384 }, (_, place) => Math.sin((index + 1) * (place + 1))),
      ),
    );
    const upserting = store.upsert(many);
    await expect.poll(() => store.count(), { timeout: 30_000 }).toBeGreaterThan(0);
    const pid = serverPid(own.path);
    process.kill(pid, 'SIGKILL');
    await upserting;
    await untilGone(pid);
    expect(await store.count()).toBe(2000);
    expect((await store.query(many[7]!.vector, 1))[0]?.id).toBe('id-7');
  });

  test('of others that is killed and comes back loses nothing', async () => {
    await using folder = await tempDir();
    await using server = await OutsideServer.start(folder.path);
    const store = await open(server.url);
    await store.upsert(records);
    await server.kill();
    for (const [name, call] of Object.entries(calls)) {
      const error = await call(store).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(VectorStoreError.isInstance(error) && error.code, name).toBe('unavailable');
    }
    await server.start(folder.path);
    expect(await store.query(Float32Array.of(1, 0), 2)).toEqual([
      { id: 'a', distance: 0 },
      { id: 'b', distance: 1 },
    ]);
  });

  test('of others that comes back empty is reported, and filled again', async () => {
    await using folder = await tempDir();
    await using server = await OutsideServer.start(join(folder.path, 'first'));
    const store = await open(server.url);
    await store.upsert(records);
    await server.kill();
    await rm(join(folder.path, 'first'), { recursive: true });
    await server.start(join(folder.path, 'second'));
    await expect(store.query(Float32Array.of(1, 0), 1)).rejects.toMatchObject({ code: 'data_lost' });
    expect(await all(store.ids())).toEqual([]);
    await store.upsert(records);
    expect(await store.query(Float32Array.of(1, 0), 1)).toEqual([{ id: 'a', distance: 0 }]);
  });
});
