import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allIds, numberedRecords, openStore, runPersistChild, temporaryDirectory } from './helpers.js';

const records = numberedRecords(0, 300);
let sound: string;

// Written by a process that has ended, as the index of an earlier run is.
beforeAll(async () => {
  sound = await mkdtemp(join(tmpdir(), 'kettle-hnsw-'));
  await runPersistChild({ directory: sound, generations: 1, size: records.length });
});
afterAll(() => rm(sound, { recursive: true }));

async function fileOf(directory: string, kind: 'graph' | 'ids' | 'index'): Promise<string> {
  const names = await readdir(directory);
  return join(directory, names.find((name) => name.startsWith(kind))!);
}

type Damage = readonly [name: string, apply: (directory: string) => Promise<void>];

const kinds = ['graph', 'ids', 'index'] as const;
const damages: readonly Damage[] = [
  ...kinds.flatMap((kind): Damage[] => [
    [`the ${kind} file cut short`, async (dir) => truncate(await fileOf(dir, kind), 100)],
    [`the ${kind} file emptied`, async (dir) => truncate(await fileOf(dir, kind), 0)],
    [
      `the ${kind} file full of zeros`,
      async (dir) => {
        const file = await fileOf(dir, kind);
        await writeFile(file, Buffer.alloc((await readFile(file)).length));
      },
    ],
    [`the ${kind} file of another program`, async (dir) => writeFile(await fileOf(dir, kind), '{"some": 1}')],
  ]),
  ['the graph file gone', async (dir) => rm(await fileOf(dir, 'graph'))],
  ['the ids file gone', async (dir) => rm(await fileOf(dir, 'ids'))],
  ...[0, 16, 40, 96, 5000, 20_000].map(
    (position): Damage => [
      `four bytes of the graph overwritten at ${position}`,
      async (dir) => {
        const file = await fileOf(dir, 'graph');
        const bytes = await readFile(file);
        bytes.fill(0xff, position, position + 4);
        await writeFile(file, bytes);
      },
    ],
  ),
  [
    'a file format of the future',
    async (dir) => {
      const file = await fileOf(dir, 'index');
      await writeFile(
        file,
        (await readFile(file, 'utf8')).replace('"formatVersion": 1', '"formatVersion": 2'),
      );
    },
  ],
  [
    'names that lead out of the folder',
    async (dir) => {
      const file = await fileOf(dir, 'index');
      await writeFile(file, (await readFile(file, 'utf8')).replace('"graph-', '"../graph-'));
    },
  ],
];

describe('a damaged index', () => {
  test.each(damages)('with %s opens empty, says why, and is filled again', async (_, apply) => {
    const directory = await temporaryDirectory();
    await cp(sound, directory, { recursive: true });
    await apply(directory);

    const { store, reasons } = await openStore(directory);
    expect(reasons).toEqual([expect.stringMatching(/damaged|format|no such file/)]);
    expect(await store.count()).toBe(0);
    await store.upsert(records);
    await store.persist();
    await store.close();

    const again = await openStore(directory);
    expect(again.reasons).toEqual([]);
    expect(await again.store.count()).toBe(records.length);
    expect(await readdir(directory), 'what was damaged is gone').toHaveLength(3);
  });

  test('is not what other graph parameters make of a sound one: that is built anew', async () => {
    const directory = await temporaryDirectory();
    await cp(sound, directory, { recursive: true });
    for (const [options, reason] of [
      [{ m: 8 }, /M 16.*M 8/],
      [{ efConstruction: 100 }, /efConstruction 200.*efConstruction 100/],
    ] as const) {
      const { store, reasons } = await openStore(directory, options);
      expect(reasons).toEqual([expect.stringMatching(reason)]);
      expect(await store.count()).toBe(0);
    }
    const { store, reasons } = await openStore(directory, { efSearch: 30 });
    expect(reasons).toEqual([]);
    expect(await allIds(store)).toEqual(records.map(({ id }) => id).sort());
  });

  test('is not what a folder without an index is', async () => {
    const { store, reasons } = await openStore(join(await temporaryDirectory(), 'new', 'folder'));
    expect(reasons).toEqual([]);
    expect(await store.count()).toBe(0);
  });
});
