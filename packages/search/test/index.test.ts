import { writeFileSync } from 'node:fs';
import { open, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import type { StoreContext } from '@kettle/search';
import { ExactVectorStore, type VectorStore } from '@kettle/vector-store';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { contentsOf, Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  await workspace.remove();
});

const tea = 'Tea\n\nWe serve black tea with milk and green tea without.';
const dogs = 'Dogs\n\nDogs are welcome on the terrace, please bring a lead.';

describe('a first and a second start', () => {
  it('finds the passage with its offsets, and embeds nothing the second time', async () => {
    await workspace.write('tea.txt', tea);
    await workspace.write('rules/dogs.md', `# ${dogs}`);
    const first = await workspace.openReady();
    const [hit] = await first.search('may dogs come on the terrace', { topK: 1 });
    expect(hit).toMatchObject({ rank: 1, document: 'rules/dogs.md', ordinal: 0, mimeType: 'text/markdown' });
    const { text } = await first.getDocument('rules/dogs.md');
    expect(hit!.passage.endsWith(text.slice(hit!.start, hit!.end))).toBe(true);
    await first.close();

    const embedder = new FakeEmbedder();
    const second = await workspace.openReady({ embedder });
    expect(embedder.embedded).toEqual([]);
    expect(second.status()).toMatchObject({ phase: 'ready', documents: 2, passages: 2, embedded: 0 });
    expect(second.status().lastSync).toMatchObject({ unchanged: 2, added: 0, embedded: 0 });
    expect(await second.search('may dogs come on the terrace', { topK: 1 })).toEqual([hit]);
  });

  it('tells of filling the store only as far as something is missing there', async () => {
    class LastingStore extends ExactVectorStore {
      override async close() {}
    }
    let store: LastingStore | undefined;
    const storing = async () => {
      const told: string[] = [];
      const index = await workspace.open({
        openStore: async ({ fingerprint }) => {
          store ??= new LastingStore(fingerprint);
          return store;
        },
      });
      await index.ready({
        onProgress: ({ phase, done, total }) => {
          if (phase === 'storing') told.push(`${done} of ${total}`);
        },
      });
      await index.close();
      return told;
    };
    await workspace.write('tea.txt', tea);
    await workspace.write('dogs.txt', dogs);
    // In one go or two, as the documents come.
    expect((await storing()).at(-1)).toMatch(/^(\d) of \1$/);
    expect(await storing()).toEqual([]);
    for await (const [id] of store!.ids()) await store!.delete([id!]);
    expect(await storing()).toEqual(['0 of 1', '1 of 1']);
  });

  it('gives nothing for an empty folder, without an error', async () => {
    const index = await workspace.openReady();
    expect(await index.search('tea')).toEqual([]);
    expect(await index.listDocuments()).toEqual([]);
  });
});

describe('many who list at once', () => {
  it('see what was there when they asked; one who stops waiting stops nobody else', async () => {
    for (let number = 0; number < 50; number++) await workspace.write(`${number}.txt`, tea);
    const index = await workspace.openReady();
    const early = Array.from({ length: 20 }, () => index.listDocuments());
    const controller = new AbortController();
    const stopped = index.listDocuments({ signal: controller.signal });
    writeFileSync(workspace.path('new.txt'), dogs);
    const late = Array.from({ length: 20 }, () => index.listDocuments());
    controller.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    for (const listing of await Promise.all(early)) expect(listing.length).toBeGreaterThanOrEqual(50);
    const listings = await Promise.all(late);
    for (const listing of listings) expect(listing.map(({ name }) => name)).toContain('new.txt');
    listings[0]!.length = 0;
    expect(listings[1]).toHaveLength(51);
  });
});

describe('changes of the folder', () => {
  it('embeds only what is new, and forgets what is gone', async () => {
    await workspace.write('tea.txt', tea);
    await workspace.write('dogs.txt', dogs);
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    embedder.embedded.length = 0;
    await workspace.write('cats.txt', 'Cats\n\nThe cat of the house is called Earl.');
    await rm(workspace.path('tea.txt'));
    expect(await index.sync()).toMatchObject({ added: 1, removed: 1, changed: 0, unchanged: 1, embedded: 1 });
    expect(embedder.embedded).toEqual(['Cats\n\nThe cat of the house is called Earl.']);
    const found = await index.search('black tea with milk', { topK: 10 });
    expect(found.map((hit) => hit.document).sort()).toEqual(['cats.txt', 'dogs.txt']);
  });

  it('renames without the model, and takes a text that comes back from the catalog', async () => {
    await workspace.write('tea.txt', tea);
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    embedder.embedded.length = 0;
    await rename(workspace.path('tea.txt'), workspace.path('drinks.txt'));
    expect(await index.sync()).toMatchObject({ renamed: 1, added: 0, removed: 0, embedded: 0 });
    await rm(workspace.path('drinks.txt'));
    expect(await index.sync()).toMatchObject({ removed: 1 });
    expect(await index.search('tea')).toEqual([]);
    await workspace.write('again.txt', tea);
    expect(await index.sync()).toMatchObject({ added: 1, embedded: 0, reused: 1 });
    expect(embedder.embedded).toEqual([]);
    expect((await index.search('tea'))[0]).toMatchObject({ document: 'again.txt' });
  });

  it('drops the stale passages of a shortened document', async () => {
    const paragraph = (word: string) => `${`${word} `.repeat(80).trim()}.`;
    await workspace.write('long.txt', ['alpha', 'beta', 'gamma'].map(paragraph).join('\n\n'));
    const index = await workspace.openReady();
    expect((await index.search('gamma', { topK: 1 }))[0]!.passage).toContain('gamma');
    await workspace.write('long.txt', paragraph('alpha'));
    expect(await index.sync()).toMatchObject({ changed: 1, embedded: 0 });
    const left = await index.search('gamma', { topK: 50 });
    expect(left.length).toBeGreaterThan(0);
    for (const hit of left) expect(hit.passage).not.toContain('gamma');
  });

  it('shows one hit for each document that holds the same text', async () => {
    await workspace.write('b.txt', tea);
    await workspace.write('a.txt', tea);
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    const hits = await index.search('tea', { topK: 5 });
    expect(hits.map((hit) => hit.document)).toEqual(['a.txt', 'b.txt']);
    expect(hits[0]!.distance).toBe(hits[1]!.distance);
    expect(embedder.embedded).toHaveLength(1);
  });

  it('reads every file again when forced', async () => {
    await workspace.write('tea.txt', tea);
    const old = new Date(Date.now() - 60_000);
    await utimes(workspace.path('tea.txt'), old, old);
    const index = await workspace.openReady();
    await workspace.write('tea.txt', tea.replace('milk', 'silk'));
    await utimes(workspace.path('tea.txt'), old, old);
    expect(await index.sync({ force: true })).toMatchObject({ changed: 1 });
    expect((await index.search('silk'))[0]!.passage).toContain('silk');
  });

  it('leaves the index alone while the folder is missing, and goes on when it is back', async () => {
    await workspace.write('tea.txt', tea);
    const index = await workspace.openReady();
    await rename(workspace.documents, `${workspace.documents}-away`);
    await expect(index.sync()).rejects.toMatchObject({ code: 'folder_unavailable' });
    expect(await index.search('tea')).toHaveLength(1);
    expect(index.status()).toMatchObject({ phase: 'failed', searchable: true });
    await rename(`${workspace.documents}-away`, workspace.documents);
    expect(await index.sync()).toMatchObject({ unchanged: 1 });
    expect(index.status()).toMatchObject({ phase: 'ready', documents: 1 });
  });

  it('tells what changed', async () => {
    await workspace.write('tea.txt', tea);
    await workspace.write('dogs.txt', dogs);
    const index = await workspace.openReady();
    const changes: unknown[] = [];
    const stop = index.onChange((change) => changes.push(change));
    await workspace.write('tea.txt', `${tea} And oolong.`);
    await workspace.write('cats.txt', 'Cats');
    await rm(workspace.path('dogs.txt'));
    await index.sync();
    await index.sync();
    stop();
    await rm(workspace.path('cats.txt'));
    await index.sync();
    expect(changes).toEqual([{ added: ['cats.txt'], changed: ['tea.txt'], removed: ['dogs.txt'] }]);
  });
});

describe('the vector store', () => {
  it('holds exactly the texts that are in the folder, each once', async () => {
    let store: VectorStore | undefined;
    const openStore = async ({ fingerprint }: StoreContext) => {
      // As if it had outlived the last process, with something that is gone since.
      store = new ExactVectorStore(fingerprint);
      await store.upsert([{ id: 'stale', vector: new Float32Array(fingerprint.dimensions).fill(1) }]);
      return store;
    };
    await workspace.write('a.txt', tea);
    await workspace.write('b.txt', tea);
    await workspace.write('dogs.txt', dogs);
    const index = await workspace.openReady({ openStore });
    expect(await store!.count()).toBe(2);
    await rm(workspace.path('a.txt'));
    await workspace.write('dogs.txt', `${dogs} And cats.`);
    await index.sync();
    expect(await store!.count()).toBe(2);
    await rm(workspace.path('b.txt'));
    await index.sync();
    expect(await store!.count()).toBe(1);
  });
});

describe('damage', () => {
  it('inside the file is found after an unclean end', async () => {
    for (let number = 0; number < 200; number++)
      await workspace.write(`${number}.txt`, `Tea number ${number}. `.repeat(20));
    const first = await workspace.openReady();
    const before = await contentsOf(first, ['tea']);
    const directory = first.status().directory!;
    await first.close();
    const db = new Database(`${directory}/catalog.sqlite`);
    db.exec("UPDATE meta SET value = 'no' WHERE key = 'closed_cleanly'");
    const page = db
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'passages_by_document'")
      .pluck()
      .get();
    db.close();
    const file = await open(`${directory}/catalog.sqlite`, 'r+');
    await file.write(Buffer.alloc(4096, 0x55), 0, 4096, (Number(page) - 1) * 4096);
    await file.close();
    const lines: string[] = [];
    const second = await workspace.openReady({ log: (_, message) => lines.push(message) });
    expect(await contentsOf(second, ['tea'])).toEqual(before);
    expect(lines.join('\n')).toContain('rebuilt');
  });

  /** Overwrites the first pages of all tables but `spared` and the words, so that the file opens as if it were sound. */
  async function overwrite(path: string, ...spared: string[]): Promise<void> {
    const db = new Database(path);
    db.pragma('wal_checkpoint(TRUNCATE)');
    const kept = spared.map((table) => `'${table}'`).join(', ');
    const roots = db.prepare(
      `SELECT rootpage FROM sqlite_schema WHERE tbl_name NOT IN (${kept}) AND tbl_name NOT LIKE 'passage_words%' AND rootpage > 0`,
    );
    const pages = roots.pluck().all() as number[];
    db.close();
    const file = await open(path, 'r+');
    for (const page of pages) await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
    await file.close();
  }

  it.each([
    ['before it is opened', ['meta']],
    ['before it is opened', ['meta', 'documents', 'passages', 'changes', 'contents', 'stores']],
    ['while it is open', ['meta']],
  ])(
    'that comes %s, to all but %j, is mended while the first search waits, with one warning',
    async (moment, spared) => {
      for (let number = 0; number < 50; number++)
        await workspace.write(`${number}.txt`, `Tea number ${number}. `.repeat(20));
      const lines: string[] = [];
      const log = (level: string, message: string) => lines.push(`${level}: ${message}`);
      let index = await workspace.openReady({ log });
      const before = await contentsOf(index, ['tea']);
      const catalog = `${index.status().directory}/catalog.sqlite`;
      if (moment === 'before it is opened') await index.close();
      await overwrite(catalog, ...spared);
      if (moment === 'before it is opened') index = await workspace.open({ log });
      const searches = [index.search('tea', { topK: 10_000 }), index.search('tea', { topK: 10_000 })];
      for (const hits of await Promise.all(searches)) expect(hits).toHaveLength(50);
      await index.ready();
      expect(await contentsOf(index, ['tea'])).toEqual(before);
      expect(lines.filter((line) => /^(warn|error)/.test(line))).toEqual([
        expect.stringMatching(/^warn: The catalog was damaged .* rebuilt/),
      ]);
    },
  );

  const damages: [string, (path: string) => Promise<void>][] = [
    ['truncated', (path) => truncate(path, 5000)],
    ['zeroed', (path) => writeFile(path, Buffer.alloc(20_000))],
    ['foreign', (path) => writeFile(path, 'this is a shopping list\n'.repeat(500))],
    ['empty', (path) => truncate(path, 0)],
  ];
  for (const [kind, damage] of damages) {
    it(`rebuilds a ${kind} catalog with a log line`, async () => {
      await workspace.write('tea.txt', tea);
      await workspace.write('dogs.txt', dogs);
      const first = await workspace.openReady();
      const before = await contentsOf(first, ['tea', 'dogs']);
      const directory = first.status().directory!;
      await first.close();
      await damage(`${directory}/catalog.sqlite`);
      const lines: string[] = [];
      const second = await workspace.openReady({ log: (_, message) => lines.push(message) });
      expect(await contentsOf(second, ['tea', 'dogs'])).toEqual(before);
      if (kind !== 'empty') expect(lines.join('\n')).toContain('rebuilt');
    });
  }
});
