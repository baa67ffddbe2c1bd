import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { ExactVectorStore } from '@kettle/vector-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from './support/until.js';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  await workspace.remove();
});

describe('a watched folder', () => {
  it('makes saved files findable, also in new folders and when editors replace them', async () => {
    await workspace.write('tea.txt', 'Tea with milk.');
    const index = await workspace.openReady({ watch: true });
    const finds = (query: string, name: string) => async () => {
      const [hit] = await index.search(query, { topK: 1 });
      return hit?.document === name && hit.passage.includes(query);
    };
    await workspace.write('new/deep/cats.txt', 'Cats on the roof.');
    await until(index, finds('roof', 'new/deep/cats.txt'));

    await writeFile(workspace.path('.tea.txt.swp'), 'Tea with lemon.');
    await rename(workspace.path('.tea.txt.swp'), workspace.path('tea.txt'));
    await until(index, finds('lemon', 'tea.txt'));

    await rm(workspace.path('new'), { recursive: true });
    await until(index, () => index.status().documents === 1);
    await workspace.write('new/deep/dogs.txt', 'Dogs on the terrace.');
    await until(index, finds('terrace', 'new/deep/dogs.txt'));
    await workspace.write('new/deep/dogs.txt', 'Dogs in the yard.');
    await until(index, finds('yard', 'new/deep/dogs.txt'));
  });

  it('takes a burst of a thousand files', async () => {
    const index = await workspace.openReady({ watch: true });
    for (let number = 0; number < 1000; number++)
      await workspace.write(`burst/${number}.txt`, `File number ${number}.`);
    await until(index, () => index.status().documents === 1000);
  });

  it('goes on after the whole folder was removed and made again', async () => {
    await workspace.write('tea.txt', 'Tea with milk.');
    const index = await workspace.openReady({ watch: true });
    await rm(workspace.documents, { recursive: true });
    await until(index, () => index.status().lastError?.code === 'folder_unavailable');
    await mkdir(workspace.documents);
    await workspace.write('cats.txt', 'Cats on the roof.');
    await until(index, async () => (await index.search('roof', { topK: 1 }))[0]?.document === 'cats.txt');
    await workspace.write('dogs.txt', 'Dogs on the terrace.');
    await until(index, async () => (await index.search('terrace', { topK: 1 }))[0]?.document === 'dogs.txt');
  });
});

describe('a folder that was watched', () => {
  // Only Linux tells how many folders a process watches.
  it.skipIf(process.platform !== 'linux')('is let go of by a close in the middle of a round', async () => {
    const watched = () =>
      readdirSync('/proc/self/fdinfo')
        .map((fd) => `/proc/self/fdinfo/${fd}`)
        .filter((file) => existsSync(file))
        .flatMap((file) => readFileSync(file, 'utf8').match(/^inotify wd/gm) ?? []).length;
    const before = watched();
    await workspace.write('tea.txt', 'Tea with milk.');
    let reached = () => {};
    const counting = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const index = await workspace.open({
      watch: true,
      openStore: async ({ fingerprint }) => {
        const store = new ExactVectorStore(fingerprint);
        const upsert = store.upsert.bind(store);
        store.upsert = async (records) => {
          reached();
          await new Promise((resolve) => setImmediate(resolve));
          return upsert(records);
        };
        return store;
      },
    });
    await counting;
    await index.close();
    expect(watched()).toBe(before);
  });
});

describe('a folder whose file system tells of nothing', () => {
  it('is looked at again and again', async () => {
    await workspace.write('tea.txt', 'Tea with milk.');
    const index = await workspace.openReady({ watch: 'rescan', rescanEvery: 50 });
    await workspace.write('new/cats.txt', 'Cats on the roof.');
    await until(index, () => index.status().documents === 2);
    await workspace.write('tea.txt', 'Tea with lemon.');
    await until(
      index,
      async () => (await index.search('lemon', { topK: 1 }))[0]?.passage === 'Tea with lemon.',
    );
    await rm(workspace.path('new'), { recursive: true });
    await until(index, () => index.status().documents === 1);
  });

  it('is not looked at when nobody wants it watched', async () => {
    await workspace.write('tea.txt', 'Tea with milk.');
    const index = await workspace.openReady({ watch: false, rescanEvery: 10 });
    await workspace.write('cats.txt', 'Cats on the roof.');
    await index.listDocuments();
    expect(index.status().documents).toBe(1);
    await index.sync();
    expect(index.status().documents).toBe(2);
  });
});
