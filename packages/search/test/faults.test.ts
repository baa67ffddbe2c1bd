import { rm } from 'node:fs/promises';
import { EmbedderError } from '@kettle/embedder';
import { type IndexProgress, openIndex, readCorpus } from '@kettle/search';
import {
  ExactVectorStore,
  type VectorStore,
  VectorStoreError,
  type VectorStoreErrorCode,
} from '@kettle/vector-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { until } from './support/until.js';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
  await workspace.write('tea.txt', 'Tea with milk.');
});
afterEach(async () => {
  await workspace.remove();
});

/** A store whose methods fail with what `failing` says at the time. */
function failingStore(failing: Map<string, VectorStoreErrorCode>, opened: VectorStore[] = []) {
  return async ({ fingerprint }: { fingerprint: VectorStore['fingerprint'] }): Promise<VectorStore> => {
    const code = failing.get('open');
    if (code !== undefined) throw new VectorStoreError(code, `open: ${code}`);
    const store = new ExactVectorStore(fingerprint);
    opened.push(store);
    return new Proxy<VectorStore>(store, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const failure = failing.get(String(name));
          if (failure === 'data_lost' || failure === 'corrupt') {
            failing.delete(String(name));
            void store.clear();
          }
          if (failure !== undefined)
            return Promise.reject(new VectorStoreError(failure, `${String(name)}: ${failure}`));
          return value.apply(target, args);
        };
      },
    });
  };
}

describe('a store that fails', () => {
  it('never looks like "no hits", and is used again when it is back', async () => {
    const failing = new Map<string, VectorStoreErrorCode>();
    const index = await workspace.openReady({ openStore: failingStore(failing) });
    expect(await index.search('milk')).toHaveLength(1);
    for (const code of ['unavailable', 'timeout', 'unauthorized', 'unsupported'] as const) {
      failing.set('query', code);
      await expect(index.search('milk')).rejects.toMatchObject({ code: 'store_unavailable' });
    }
    failing.clear();
    expect(await index.search('milk')).toHaveLength(1);
  });

  it('for good, as when its thread ended, is opened again', async () => {
    const opened: { dead: boolean }[] = [];
    const index = await workspace.openReady({
      openStore: async ({ fingerprint }) => {
        const life = { dead: false };
        opened.push(life);
        return new Proxy<VectorStore>(new ExactVectorStore(fingerprint), {
          get(target, name) {
            const value = Reflect.get(target, name, target);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => {
              if (!life.dead) return value.apply(target, args);
              const failed = async () => {
                throw new VectorStoreError('unavailable', 'The thread has ended.');
              };
              return name === 'ids' ? { [Symbol.asyncIterator]: () => ({ next: failed }) } : failed();
            };
          },
        });
      },
    });
    opened[0]!.dead = true;
    await expect(index.search('milk')).rejects.toMatchObject({ code: 'store_unavailable' });
    await until(index, async () => (await index.search('milk').catch(() => [])).length === 1);
    expect(opened).toHaveLength(2);
  });

  it('does not stop the catalog: what changed meanwhile is there when it is back', async () => {
    const failing = new Map<string, VectorStoreErrorCode>([['open', 'unavailable']]);
    const embedder = new FakeEmbedder();
    const index = await workspace.open({ embedder, openStore: failingStore(failing) });
    await expect(index.ready()).rejects.toMatchObject({ code: 'store_unavailable', retryable: true });
    await expect(index.search('milk')).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(index.status()).toMatchObject({ phase: 'failed', lastError: { code: 'store_unavailable' } });
    expect(embedder.embedded).toHaveLength(1);
    failing.clear();
    // Nobody asks: it comes back by itself.
    await until(index, () => index.status().phase === 'ready');
    expect(await index.search('milk')).toHaveLength(1);
    expect(embedder.embedded).toHaveLength(1);
  });

  it.each(['data_lost', 'corrupt'] as const)('is filled again when it says %s', async (code) => {
    const failing = new Map<string, VectorStoreErrorCode>();
    const index = await workspace.openReady({ openStore: failingStore(failing) });
    failing.set('query', code);
    await expect(index.search('milk')).rejects.toMatchObject({ code: 'store_unavailable' });
    await until(index, async () => (await index.search('milk').catch(() => [])).length === 1);
  });

  it('is made anew when it was made for something else', async () => {
    const failing = new Map<string, VectorStoreErrorCode>();
    const lines: string[] = [];
    let refusals = 1;
    const open = failingStore(failing);
    const index = await workspace.openReady({
      log: (_, message) => lines.push(message),
      openStore: async (context) => {
        if (refusals-- > 0) throw new VectorStoreError('fingerprint_mismatch', 'made for another model');
        return open(context);
      },
    });
    expect(await index.search('milk')).toHaveLength(1);
    expect(lines.join()).toContain('rebuilt from the catalog');
  });

  it('which still has what was deleted, does not show it', async () => {
    const failing = new Map<string, VectorStoreErrorCode>();
    await workspace.write('dogs.txt', 'Dogs on the terrace.');
    const index = await workspace.openReady({ openStore: failingStore(failing) });
    failing.set('delete', 'unavailable');
    await rm(workspace.path('tea.txt'));
    await expect(index.sync()).rejects.toMatchObject({ code: 'store_unavailable' });
    expect((await index.search('milk', { topK: 1 })).map((hit) => hit.document)).toEqual(['dogs.txt']);
  });
});

describe('a model that fails', () => {
  it('says so, and is loaded again', async () => {
    let failures = 1;
    const index = await workspace.open({
      loadEmbedder: async () => {
        if (failures-- > 0) throw new EmbedderError('hub_unreachable', 'The hub is out of reach.');
        return new FakeEmbedder();
      },
    });
    await expect(index.search('milk')).rejects.toMatchObject({
      code: 'model_unavailable',
      message: 'The hub is out of reach.',
    });
    expect(await index.listDocuments()).toHaveLength(1);
    await until(index, () => index.status().phase === 'ready');
    expect(await index.search('milk')).toHaveLength(1);
  });

  it('on one text does not keep the others out', async () => {
    await workspace.write('bad.txt', 'Bad.');
    const embedder = new FakeEmbedder();
    const embed = embedder.embedDocuments.bind(embedder);
    embedder.embedDocuments = async (texts, options) => {
      if (texts.includes('Bad.')) throw new EmbedderError('text_too_long', 'too long');
      return embed(texts, options);
    };
    const index = await workspace.openReady({ embedder });
    expect(index.status().lastSync).toMatchObject({ added: 1, failed: [{ name: 'bad.txt' }] });
  });
});

describe('a document that can not be embedded', () => {
  it('does not keep out another that shares a passage with it', async () => {
    const shared = 'The same words stand in both of these papers. '.repeat(6).trim();
    await workspace.write('a.txt', `${shared}\n\n${'Bad words come at the end. '.repeat(8)}`);
    await workspace.write('b.txt', shared);
    const embedder = new FakeEmbedder({ delay: 1 });
    const embed = embedder.embedDocuments.bind(embedder);
    embedder.embedDocuments = async (texts, options) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (texts.some((text) => text.includes('Bad'))) throw new EmbedderError('text_too_long', 'too long');
      return embed(texts, options);
    };
    const index = await workspace.openReady({ embedder });
    expect(index.status().lastSync).toMatchObject({ added: 2, failed: [{ name: 'a.txt' }] });
    expect(await index.search('papers', { documents: ['b.txt'] })).not.toEqual([]);
  });
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
