import { existsSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { EmbedderError } from '@kettle/embedder';
import {
  ExactVectorStore,
  type VectorStore,
  VectorStoreError,
  type VectorStoreErrorCode,
} from '@kettle/vector-store';
import Database from 'better-sqlite3';
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

describe('an index that is removed while it is open', () => {
  it.each(['all of it', 'the catalog'])('(%s) is made again from the documents', async (what) => {
    const embedder = new FakeEmbedder();
    const index = await workspace.openReady({ embedder });
    const { directory } = index.status();
    if (what === 'the catalog') await rm(join(directory!, 'catalog.sqlite'));
    else await rm(workspace.index, { recursive: true });
    await workspace.write('cats.txt', 'Cats on the roof.');
    await index.sync();
    expect(index.status()).toMatchObject({ documents: 2, phase: 'ready' });
    expect(await index.search('roof', { topK: 1 })).toMatchObject([{ document: 'cats.txt' }]);
    await index.close();
    const again = new FakeEmbedder();
    const next = await workspace.openReady({ embedder: again });
    expect(again.embedded).toEqual([]);
    expect(next.status()).toMatchObject({ documents: 2 });
  });
});

describe('a catalog that can not be read', () => {
  it.each(['documents', 'meta'])(
    '(its table "%s") keeps no document of the folder from view',
    async (table) => {
      const index = await workspace.openReady();
      const db = new Database(join(index.status().directory!, 'catalog.sqlite'));
      if (table === 'documents') db.exec('ALTER TABLE documents RENAME TO elsewhere');
      else db.exec("INSERT OR REPLACE INTO meta VALUES ('refused', 'no JSON')");
      db.close();
      expect(await index.listDocuments()).toMatchObject([{ name: 'tea.txt', size: 14 }]);
      expect(await index.getDocument('tea.txt')).toMatchObject({ text: 'Tea with milk.' });
      if (table === 'meta') expect(await index.sync()).toMatchObject({ unchanged: 1 });
    },
  );

  it('(it is damaged) is made anew once the documents are listed', async () => {
    const index = await workspace.openReady();
    const { directory } = index.status();
    const catalog = join(directory!, 'catalog.sqlite');
    const db = new Database(catalog);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const { size } = await stat(catalog);
    const file = await open(catalog, 'r+');
    await file.write(Buffer.alloc(size - 4096, 0x5a), 0, size - 4096, 4096);
    await file.close();
    await until(index, async () => {
      expect(await index.listDocuments()).toMatchObject([{ name: 'tea.txt' }]);
      return existsSync(`${catalog}.damaged`);
    });
    await until(index, () => index.status().phase === 'ready');
    expect(await index.search('milk')).toHaveLength(1);
  });
});

describe('a thread that writes the catalog and ends', () => {
  const threads: Worker[] = [];
  let endNext = 0;
  const onThread = (thread: Worker) => {
    threads.push(thread);
    if (endNext-- > 0) void thread.terminate();
  };
  beforeEach(() => {
    threads.length = 0;
    endNext = 0;
    process.on('worker', onThread);
  });
  afterEach(() => void process.off('worker', onThread));

  it('is replaced, and what changed meanwhile is indexed', async () => {
    const index = await workspace.openReady();
    expect(threads).toHaveLength(1);
    await threads[0]!.terminate();
    await workspace.write('cats.txt', 'Cats on the roof.');
    await expect(index.sync()).rejects.toMatchObject({ code: 'index_unavailable', retryable: true });
    await until(index, () => index.status().phase === 'ready');
    expect(await index.search('roof', { topK: 1 })).toMatchObject([{ document: 'cats.txt' }]);
    await index.close();
    await workspace.openReady();
  });

  it('at once, when its index takes over, is replaced too', async () => {
    const first = await workspace.openReady();
    const second = await workspace.openReady();
    endNext = 1;
    await first.close();
    await workspace.write('cats.txt', 'Cats on the roof.');
    await until(second, async () => {
      await second.sync().catch(() => {});
      return second.status().documents === 2;
    });
    expect(endNext).toBeLessThan(1);
    expect(await second.search('roof', { topK: 1 })).toMatchObject([{ document: 'cats.txt' }]);
  });
});
