import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SearchHit, SearchIndex } from '@kettle/search';
import type { VectorStore } from '@kettle/vector-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chroma } from '../../vector-store-chroma/test/support/chroma-command.js';
import { OutsideServer } from '../../vector-store-chroma/test/support/outside-server.js';
import { openForTest } from './support/open-for-test.mjs';
import { Random } from './support/random.js';
import { until } from './support/until.js';
import { Workspace } from './support/workspace.js';

const documents = 150;
const query = 'apple pear kettle';

let workspace: Workspace;
let server: OutsideServer;
let opened: SearchIndex[];

/** A server that holds nothing, at the address it had before if there was one. */
async function startEmpty(): Promise<void> {
  const directory = join(workspace.root, `server-${Math.random()}`);
  await mkdir(directory);
  if (server === undefined) server = await OutsideServer.start(directory);
  else await server.start(directory);
}

async function open(around?: (store: VectorStore) => VectorStore, index = workspace.index) {
  const open = await openForTest({
    documents: workspace.documents,
    directory: index,
    backend: 'chroma',
    chromaUrl: server.url,
    ...(around && { around }),
  });
  opened.push(open);
  return open;
}

/** What the same folder says on a store of this process; leaves its catalog behind. */
async function truth(): Promise<SearchHit[]> {
  const index = await openForTest({ documents: workspace.documents, directory: workspace.index });
  await index.ready();
  const hits = await index.search(query, { topK: 1000 });
  await index.close();
  return hits;
}

/** The hits, or why there are none. Fewer than the truth is what must never be. */
async function answer(index: SearchIndex): Promise<SearchHit[] | string> {
  try {
    return await index.search(query, { topK: 1000 });
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** A store whose upserts stop after the first one until they are let go. */
function held() {
  let release = () => {};
  let reached = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const halfFull = new Promise<void>((resolve) => {
    reached = resolve;
  });
  let upserts = 0;
  const around = (store: VectorStore) =>
    new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'upsert') return value.bind(target);
        return async (...args: unknown[]) => {
          if (++upserts > 1) {
            reached();
            await released;
          }
          return value.apply(target, args);
        };
      },
    });
  return { around, release, halfFull };
}

describe.skipIf(!chroma.available)('on a real Chroma server', () => {
  beforeEach(async () => {
    workspace = await Workspace.create();
    opened = [];
    const random = new Random(11);
    for (let number = 0; number < documents; number++) {
      await workspace.write(`${number}.txt`, `${number}. ${random.document()} ${random.document()}`);
    }
    await startEmpty();
  });
  afterEach(async () => {
    await Promise.all(opened.map((index) => index.close()));
    await server.kill();
    await workspace.remove();
  });

  it('what came back empty is filled again without the model, and never answers less than all', async () => {
    const expected = await truth();
    const index = await open();
    await index.ready();
    const { embedded } = index.status();
    expect(await answer(index)).toEqual(expected);

    await server.kill();
    expect(await answer(index)).toBe('store_unavailable');
    await startEmpty();
    const answers: unknown[] = [];
    await until(index, async () => {
      answers.push(await answer(index));
      return Array.isArray(answers.at(-1));
    });
    expect(answers.pop()).toEqual(expected);
    expect(new Set(answers)).toEqual(new Set(answers.length > 0 ? ['store_unavailable'] : []));
    await index.sync();
    expect(index.status()).toMatchObject({ phase: 'ready', embedded });
  });

  it('what came back empty is noticed by the next look, also when nobody searches', async () => {
    const expected = await truth();
    const index = await open();
    await index.ready();
    await server.kill();
    await startEmpty();
    await index.sync();
    expect(await answer(index)).toEqual(expected);
  });

  it('a corpus without documents stays one after the server came back empty', async () => {
    await rm(workspace.documents, { recursive: true });
    await mkdir(workspace.documents);
    const index = await open();
    await index.ready();
    await server.kill();
    await startEmpty();
    await index.sync();
    expect(await answer(index)).toEqual([]);
  });

  it('a store that is half full keeps the writer waiting, and a follower says so', async () => {
    const expected = await truth();
    const { around, release, halfFull } = held();
    const writer = await open(around);
    const waiting = answer(writer);
    await halfFull;
    const follower = await open();
    try {
      await expect(follower.search(query)).rejects.toMatchObject({
        code: 'store_unavailable',
        retryable: true,
        message: expect.stringContaining('still being filled'),
      });
    } finally {
      release();
    }
    expect(await waiting).toEqual(expected);
    await follower.ready().catch(() => {});
    const answers: unknown[] = [];
    await until(follower, async () => {
      answers.push(await answer(follower));
      return Array.isArray(answers.at(-1));
    });
    expect(answers.at(-1)).toEqual(expected);
    expect([writer.status().role, follower.status().role]).toEqual(['writer', 'follower']);
  });

  it('a follower says so when the server lost everything, and is back with the writer', async () => {
    const expected = await truth();
    const writer = await open();
    await writer.ready();
    const follower = await open();
    await follower.ready();
    expect(await answer(follower)).toEqual(expected);
    await server.kill();
    await startEmpty();
    expect(await answer(follower)).toBe('store_unavailable');
    await writer.sync();
    await until(follower, async () => Array.isArray(await answer(follower)));
    expect(await answer(follower)).toEqual(expected);
  });

  it('two index folders of one corpus leave each other alone', async () => {
    const first = await open();
    await first.ready();
    const before = await answer(first);
    await rm(workspace.path('0.txt'));
    const second = await open(undefined, join(workspace.root, 'other-index'));
    await second.ready();
    expect(await answer(first)).toEqual(before);
    expect(await answer(second)).not.toEqual(before);
    await first.sync();
    expect(await answer(first)).toEqual(await answer(second));
  });
});
