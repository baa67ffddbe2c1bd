import { getEventListeners } from 'node:events';
import { rm } from 'node:fs/promises';
import { type IndexProgress, openIndex, readCorpus } from '@kettle/search';
import { ExactVectorStore } from '@kettle/vector-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
  await workspace.write('tea.txt', 'Tea with milk.');
});
afterEach(async () => {
  await workspace.remove();
});

describe('callers', () => {
  it('are told what is wrong with a query', async () => {
    const index = await workspace.openReady();
    for (const query of ['', ' \n\t ', '\u3000']) {
      await expect(index.search(query)).rejects.toMatchObject({ code: 'invalid_query' });
    }
    for (const topK of [0, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(index.search('tea', { topK })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    for (const maxDistance of [-0.1, 2.1, Number.NaN]) {
      await expect(index.search('tea', { maxDistance })).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    await expect(index.search('word '.repeat(200))).rejects.toMatchObject({ code: 'query_too_long' });
  });

  it('see progress while they wait, and can stop waiting', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const embedder = new FakeEmbedder();
    const index = await workspace.open({ loadEmbedder: () => held.then(() => embedder) });
    const controller = new AbortController();
    const reason = new Error('enough');
    const aborted = index.search('tea', { signal: controller.signal });
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    const seen: IndexProgress[] = [];
    const waiting = index.search('tea', { onProgress: (progress) => seen.push(progress) });
    release();
    expect(await waiting).toHaveLength(1);
    expect(seen.map((progress) => progress.phase)).toContain('embedding');
    expect(seen.at(-1)).toMatchObject({ done: 1, total: 1 });
  });

  it('see progress while a single large document is embedded', async () => {
    const lines = Array.from({ length: 300 }, (_, line) => `Paragraph ${line}: ${'word '.repeat(40)}`);
    await workspace.write('large.txt', lines.join('\n\n'));
    const index = await workspace.open();
    const seen: IndexProgress[] = [];
    await index.ready({ onProgress: (progress) => seen.push(progress) });
    const early = seen.filter(({ message }) =>
      /^Indexing documents: [01] of 2, \d+ passages embedded/.test(message),
    );
    expect(new Set(early.map(({ message }) => message)).size).toBeGreaterThanOrEqual(3);
  });

  it('get a closed error after close, also while they wait, and the model is closed', async () => {
    const embedder = new FakeEmbedder({ delay: 1 });
    const corpus = await readCorpus(workspace.documents);
    const open = () =>
      openIndex({
        corpus,
        directory: workspace.index,
        model: 'test/words',
        loadEmbedder: async () => embedder,
        openStore: async ({ fingerprint }) => new ExactVectorStore(fingerprint),
      });
    const index = await open();
    const waiting = index.search('tea');
    const syncing = index.sync();
    const [, ...results] = await Promise.allSettled([index.close(), waiting, syncing, index.ready()]);
    for (const result of results)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'closed' } });
    await index.close();
    for (const call of [() => index.search('tea'), () => index.sync(), () => index.listDocuments()]) {
      await expect(call()).rejects.toMatchObject({ code: 'closed' });
    }
    expect(embedder.closed).toBe(true);
  });

  it('who gave up before they asked hear of that, and nobody hears of what failed then', async () => {
    const index = await workspace.openReady();
    await rm(workspace.documents, { recursive: true });
    const reason = new Error('enough');
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listener);
    try {
      const signal = AbortSignal.abort(reason);
      await expect(index.listDocuments({ signal })).rejects.toBe(reason);
      // Takes longer than a listing, so that a listing would have failed by then.
      await expect(index.getDocument('tea.txt')).rejects.toMatchObject({ code: 'folder_unavailable' });
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('unhandledRejection', listener);
    }
    expect(unhandled).toEqual([]);
  });

  it('can keep to some documents and to a distance', async () => {
    await workspace.write('menu/tea.txt', 'Tea on the menu.');
    await workspace.write('menu/cake.txt', 'Cake on the menu.');
    await workspace.write('menus.txt', 'Tea in the list of menus.');
    for (const mode of ['vector', 'keyword', 'hybrid'] as const) {
      const index = await workspace.openReady({ mode });
      const found = async (documents: string[]) =>
        (await index.search('tea menu', { documents, topK: 10 })).map((hit) => hit.document).sort();
      expect(await found(['menu/'])).toEqual(['menu/cake.txt', 'menu/tea.txt']);
      expect(await found(['menus.txt', 'menu/cake.txt'])).toEqual(['menu/cake.txt', 'menus.txt']);
      expect(await found([])).toEqual([]);
      expect(await found(['no.txt', 'men'])).toEqual([]);
      const all = await index.search('tea', { topK: 10 });
      const nearest = Math.min(...all.map((hit) => hit.distance));
      const near = await index.search('tea', { topK: 10, maxDistance: nearest });
      expect(near.map((hit) => hit.distance)).toEqual([nearest]);
      await index.close();
    }
  });

  it('whose listeners throw spoil nothing, and the log says it', async () => {
    const lines: string[] = [];
    const index = await workspace.open({ log: (_, message) => lines.push(message) });
    const fails = () => {
      throw new Error('not today');
    };
    index.onChange(fails);
    const changes: unknown[] = [];
    index.onChange((change) => changes.push(change));
    await index.ready({ onProgress: fails });
    await workspace.write('cats.txt', 'Cats on the roof.');
    expect(await index.sync({ onProgress: fails })).toMatchObject({ added: 1 });
    expect(changes).toContainEqual({ added: ['cats.txt'], changed: [], removed: [] });
    expect(index.status()).toMatchObject({ phase: 'ready' });
    expect(lines.join()).toContain('not today');
  });

  it('whose signal outlives the index are not held on to', async () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 3; count++) {
      const index = await workspace.openReady({ signal });
      expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0);
      await index.close();
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }
  });
});

describe('modes', () => {
  it('find codes by words, meaning by vectors, and give the same distances', async () => {
    await workspace.write('codes.txt', 'Error E07-3 means that the boiler is dry.');
    await workspace.write('other.txt', 'Error E07-4 and 3 other ones mean nothing.');
    const distances = new Map<string, number>();
    for (const mode of ['vector', 'keyword', 'hybrid'] as const) {
      const index = await workspace.openReady({ mode });
      const hits = await index.search('E07-3 "boiler" AND (NOT *', { topK: 10 });
      if (mode !== 'vector') expect(hits[0]).toMatchObject({ document: 'codes.txt', rank: 1 });
      for (const hit of hits) {
        expect(hit.distance).toBe(distances.get(hit.document) ?? hit.distance);
        distances.set(hit.document, hit.distance);
      }
      await index.close();
    }
    expect(distances.size).toBe(3);
  });
});
