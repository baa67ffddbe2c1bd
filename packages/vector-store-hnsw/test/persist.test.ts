import { existsSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allIds, numberedRecords, openStore, runPersistChild, temporaryDirectory } from './helpers.js';

const size = 40;

describe('persist', () => {
  test('leaves the former or the new generation when the process is killed meanwhile, 25 times', async () => {
    const directory = await temporaryDirectory();
    let persisted = 0;
    for (let kill = 0; kill < 25; kill++) {
      // Kills at different moments of the write: at once, or after some turns of the event loop.
      const lines = await runPersistChild({ directory, generations: 50, size }, async (line, child) => {
        if (line !== `persisting ${persisted + size * (1 + (kill % 3))}`) return;
        for (let turn = 0; turn < kill * 4; turn++) await new Promise(setImmediate);
        child.kill('SIGKILL');
      });
      expect(lines.filter((line) => line.startsWith('rebuild'))).toEqual([]);
      const last = lines.findLast((line) => line.startsWith('persisted'));
      if (last) persisted = Number(last.split(' ')[1]);

      const { store, reasons } = await openStore(directory);
      expect(reasons).toEqual([]);
      const count = await store.count();
      expect([persisted, persisted + size]).toContain(count);
      expect(await allIds(store)).toEqual(
        numberedRecords(0, count)
          .map(({ id }) => id)
          .sort(),
      );
      persisted = count;
      await store.close();
      const names = await readdir(directory);
      expect(names.length, `what was left behind is cleaned up: ${names}`).toBe(count === 0 ? 0 : 3);
    }
    expect(persisted).toBeGreaterThan(0);
  });

  test('of several processes at once leaves the generation of one of them, and disturbs no reader', async () => {
    const directory = await temporaryDirectory();
    let running = true;
    const outputs = Promise.all(
      [30, 40, 50].map((each) => runPersistChild({ directory, generations: 15, size: each })),
    ).finally(() => {
      running = false;
    });
    while (running) {
      const { store, reasons } = await openStore(directory);
      expect(reasons, 'a reader finds a whole generation at any time').toEqual([]);
      await store.close();
    }
    for (const lines of await outputs) {
      expect(lines.filter((line) => /rebuild|failed/.test(line))).toEqual([]);
    }
    const { store, reasons } = await openStore(directory);
    expect(reasons).toEqual([]);
    const count = await store.count();
    expect(await allIds(store)).toEqual(
      numberedRecords(0, count)
        .map(({ id }) => id)
        .sort(),
    );
    expect(await readdir(directory)).toHaveLength(3);
  });

  test('rejects with storage_full where files can not grow, and leaves the former generation', async () => {
    const directory = await temporaryDirectory();
    const { store } = await openStore(directory);
    await store.upsert(numberedRecords(0, size));
    await store.persist();
    await store.close();
    const before = await readdir(directory);

    // A limit on the size of files stands for the full disk: it needs no rights, and fails the same writes.
    const command = ['sh', '-c', 'ulimit -f 64; exec "$@"', 'sh'];
    const lines = await runPersistChild({ directory, generations: 50, size: 400, command });
    expect(lines.at(-2)).toMatch(/^failed storage_full .*free/);
    expect(lines.at(-1), 'the store goes on').toBe('answers r0');

    const after = await openStore(directory);
    expect(after.reasons).toEqual([]);
    expect(await after.store.count()).toBeGreaterThanOrEqual(size);
    if (!lines.some((line) => line.startsWith('persisted'))) expect(await readdir(directory)).toEqual(before);
    expect(await readdir(directory), 'nothing of the failed generation is left').toHaveLength(3);
  });

  test('rejects where the folder can not be made, and works once it can', async () => {
    const parent = await temporaryDirectory();
    const blocker = join(parent, 'file');
    const { store } = await openStore(join(parent, 'folder'));
    await store.upsert(numberedRecords(0, size));
    await writeFile(blocker, '');
    await rename(blocker, join(parent, 'folder'));
    await expect(store.persist()).rejects.toMatchObject({ code: 'unavailable' });
    await rm(join(parent, 'folder'));
    await store.persist();
    expect(await readdir(join(parent, 'folder'))).toHaveLength(3);
  });

  test.skipIf(!existsSync('/proc/self'))('rejects below a folder that takes none', async () => {
    const { store } = await openStore('/proc/kettle/hnsw');
    await store.upsert(numberedRecords(0, size));
    await expect(store.persist()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('/proc/kettle'),
    });
  });

  test('writes nothing when nothing changed', async () => {
    const directory = await temporaryDirectory();
    const { store } = await openStore(directory);
    await store.upsert(numberedRecords(0, size));
    await store.persist();
    const before = await readdir(directory);
    await store.persist();
    await store.upsert(numberedRecords(0, size));
    await store.delete(['unknown']);
    await store.persist();
    expect(await readdir(directory)).toEqual(before);
    await store.close();
    const again = await openStore(directory);
    await again.store.persist();
    expect(await readdir(directory)).toEqual(before);
  });

  test('leaves files of others in the folder alone', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'notes.txt'), 'mine');
    const { store } = await openStore(directory);
    await store.upsert(numberedRecords(0, size));
    await store.persist();
    expect(await readdir(directory)).toContain('notes.txt');
  });
});
