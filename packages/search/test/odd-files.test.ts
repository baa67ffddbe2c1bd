import promises, { chmod, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { SearchIndex } from '@kettle/search';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { withoutPrivileges } from './support/without-privileges.js';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  await workspace.remove();
});

async function listed(index: SearchIndex): Promise<string[]> {
  return (await index.listDocuments()).map((document) => document.name);
}

describe('the list of documents', () => {
  it('names what can be got and nothing else, with an index and without', async () => {
    await workspace.write('tea.txt', 'Tea with milk.');
    await workspace.write('binary.txt', Buffer.from([0x50, 0x4b, 0, 0, 1, 2]));
    await workspace.write('locked.txt', 'Nobody may read this.');
    await workspace.write('large.txt', Buffer.alloc(17 * 1024 * 1024, 'a'));
    await symlink('tea.txt', workspace.path('link.txt'));
    await chmod(workspace.path('locked.txt'), 0);
    await withoutPrivileges(workspace.root, async () => {
      let load = () => {};
      const loading = new Promise<void>((resolve) => {
        load = resolve;
      });
      const index = await workspace.open({ loadEmbedder: () => loading.then(() => new FakeEmbedder()) });
      for (const moment of ['before', 'after']) {
        expect(await listed(index), moment).toEqual(['tea.txt']);
        for (const name of await listed(index)) expect((await index.getDocument(name)).text).not.toBe('');
        load();
        await index.ready();
      }
      await index.close();
    });
  });

  it('does not follow links, which may lead round in a circle', async () => {
    await workspace.write('sub/tea.txt', 'Tea with milk.');
    await symlink('.', workspace.path('loop'));
    await symlink('..', workspace.path('sub/up'));
    const index = await workspace.openReady();
    expect(await listed(index)).toEqual(['sub/tea.txt']);
    expect(index.status().documents).toBe(1);
    await expect(index.getDocument('loop/sub/tea.txt')).rejects.toMatchObject({ code: 'document_not_found' });
  });

  it('leaves out what became binary since it was indexed', async () => {
    await workspace.write('tea.txt', 'Tea with milk.');
    const index = await workspace.openReady();
    await writeFile(workspace.path('tea.txt'), Buffer.alloc(100));
    expect(await listed(index)).toEqual([]);
  });
});

describe('names', () => {
  it.each([
    ['a newline', 'two\nlines.txt'],
    ['an emoji', 'tea 🍵.txt'],
    ['a decomposed letter', 'cafe\u0301.txt'],
    ['quotes and wildcards', `it's "100%" _*?[a].txt`],
    ['a trailing space', 'sub /space .txt'],
  ])('with %s are found, listed, got, renamed and removed', async (_, name) => {
    await workspace.write(name, 'Tea with milk.');
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    expect(await listed(index)).toEqual([name]);
    expect(await index.getDocument(name)).toMatchObject({ name, text: 'Tea with milk.' });
    expect(await index.search('milk', { documents: [name] })).toMatchObject([{ document: name }]);
    await rename(workspace.path(name), workspace.path('plain.txt'));
    expect(await index.sync()).toMatchObject({ renamed: 1, embedded: 0 });
    await rename(workspace.path('plain.txt'), workspace.path('PLAIN.txt'));
    expect(await index.sync()).toMatchObject({ renamed: 1, embedded: 0 });
    expect(await index.search('milk')).toMatchObject([{ document: 'PLAIN.txt' }]);
    await rm(workspace.path('PLAIN.txt'));
    expect(await index.sync()).toMatchObject({ removed: 1 });
    expect(await index.search('milk')).toEqual([]);
  });

  it('of folders may change without the model', async () => {
    await workspace.write('menu/deep/tea.txt', 'Tea with milk.');
    await workspace.write('menu/cake.txt', 'Cake with cream.');
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    await rename(workspace.path('menu'), workspace.path('Menu'));
    expect(await index.sync()).toMatchObject({ renamed: 2, embedded: 0, removed: 0 });
    await mkdir(workspace.path('old'));
    await rename(workspace.path('Menu'), workspace.path('old/menu'));
    expect(await index.sync()).toMatchObject({ renamed: 2, embedded: 0, removed: 0 });
    expect(await listed(index)).toEqual(['old/menu/cake.txt', 'old/menu/deep/tea.txt']);
    expect(embedder.embedded).toHaveLength(2);
  });
});

describe('a file with a time in the future', () => {
  it('is not read in every round', async () => {
    await workspace.write('tea.txt', 'Tea with milk.');
    const later = new Date(Date.now() + 24 * 3600_000);
    await utimes(workspace.path('tea.txt'), later, later);
    const index = await workspace.openReady();
    const { open } = promises;
    let reads = 0;
    promises.open = (...args) => {
      reads++;
      return open(...args);
    };
    syncBuiltinESMExports();
    try {
      // What was written just now is read again until a change would show. That has to come to an end.
      do {
        reads = 0;
        await index.sync();
      } while (reads > 0);
    } finally {
      promises.open = open;
      syncBuiltinESMExports();
    }
    expect(await index.search('milk')).toHaveLength(1);
  });
});
