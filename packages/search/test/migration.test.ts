import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspectIndexes } from '@kettle/search';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { contentsOf, Workspace } from './support/workspace.js';

/** What the catalogs in `fixtures` were made from. */
const sleep =
  'They sleep there when the sun shines, and come down when the kettle whistles in the kitchen of the house next door at noon.';
const winter =
  'In winter they prefer the chair beside the stove, where it is warm and where nobody dares to move them before the evening.';
const documents = {
  'tea.txt': 'Tea with milk.\n',
  'cats.txt': `Cats on the roof\n\n${sleep} ${sleep}\n\n${winter} ${winter}\n`,
};
/** What came in by the later versions, which the former ones treated in another way. */
const more: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: {},
  2: { 'menu.txt': '本日のお茶は宇治の抹茶です。\n' },
};
const queries = ['milk', 'cats on the chair', 'roof', '抹茶'];

let workspace: Workspace;
let catalog: string;
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  await workspace.remove();
});

/** By meaning and by words. */
async function allAnswers(): Promise<unknown> {
  const answers = [];
  for (const mode of ['vector', 'keyword'] as const) {
    const index = await workspace.openReady({ mode });
    answers.push(await contentsOf(index, queries));
    catalog = join(index.status().directory!, 'catalog.sqlite');
    await index.close();
  }
  return answers;
}

/** Puts the catalog of a former Kettle in the place of today's. Gives what today's says. */
async function putFormer(version: number): Promise<unknown> {
  for (const [name, text] of Object.entries({ ...documents, ...more[version] }))
    await workspace.write(name, text);
  const fresh = await allAnswers();
  await rm(workspace.index, { recursive: true });
  await mkdir(dirname(catalog), { recursive: true });
  const fixture = new URL(`./fixtures/catalog-${version}.sql`, import.meta.url);
  const db = new Database(catalog);
  db.exec(await readFile(fileURLToPath(fixture), 'utf8'));
  db.prepare("UPDATE meta SET value = ? WHERE key = 'corpus_directory'").run(workspace.documents);
  db.close();
  return fresh;
}

function versionOf(path: string): unknown {
  const db = new Database(path, { readonly: true });
  const version = db.pragma('user_version', { simple: true });
  db.close();
  return version;
}

describe('the catalog of a former Kettle', () => {
  it.each([1, 2])('(schema version %i) is brought up to date without the model', async (version) => {
    const fresh = await putFormer(version);
    const count = Object.keys({ ...documents, ...more[version] }).length;
    expect(await inspectIndexes(workspace.index)).toEqual([
      {
        directory: dirname(catalog),
        problem: expect.stringContaining(`schema version ${version}`),
        remedy: expect.stringContaining('brings it up to date'),
      },
    ]);
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    expect(embedder.embedded).toEqual([]);
    expect(index.status().lastSync).toMatchObject({ unchanged: count, added: 0, changed: 0 });
    expect(versionOf(catalog)).toBeGreaterThan(version);
    const passages = count + 1;
    expect(await inspectIndexes(workspace.index)).toMatchObject([
      { documents: count, passages, vectors: passages },
    ]);
    expect(await allAnswers()).toEqual(fresh);
  });

  it('which still runs, is told apart from one that is being made', async () => {
    await putFormer(1);
    const former = new Database(join(dirname(catalog), 'writer-lock.sqlite'));
    former.exec('BEGIN EXCLUSIVE');
    const index = await workspace.open();
    await expect(index.search('milk')).rejects.toMatchObject({
      code: 'index_unavailable',
      message: expect.stringContaining('older Kettle'),
    });
    expect(versionOf(catalog)).toBe(1);
    former.close();
    await index.sync();
    expect(await index.search('milk', { topK: 1 })).toMatchObject([{ document: 'tea.txt' }]);
  });
});
