import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type VectorRecord, VectorStoreError } from '@kettle/vector-store';
import { ChromaServer, ChromaVectorStore } from '@kettle/vector-store-chroma';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { all } from './support/all.js';
import { chroma } from './support/chroma-command.js';
import { answer, listen, passOn } from './support/front.js';
import { freePort, OutsideServer } from './support/outside-server.js';
import { serverPid, soon, untilGone } from './support/processes.js';
import { tempDir } from './support/temp-dir.js';

const fingerprint = { model: 'test', dimensions: 2, metric: 'cosine' } as const;
const record = (id: string, ...vector: number[]): VectorRecord => ({ id, vector: Float32Array.from(vector) });
const records = [record('a', 1, 0), record('b', 0, 1)];

type Options = Partial<Parameters<typeof ChromaVectorStore.open>[0]>;

async function open(server: string | ChromaServer, options: Options = {}): Promise<ChromaVectorStore> {
  const store = await ChromaVectorStore.open({ server, fingerprint, corpusId: 'corpus', ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Every call that asks the server something. */
const calls: Record<string, (store: ChromaVectorStore) => Promise<unknown>> = {
  query: (store) => store.query(Float32Array.of(1, 0), 1),
  'query within': (store) => store.query(Float32Array.of(1, 0), 1, { within: new Set(['a']) }),
  count: (store) => store.count(),
  ids: (store) => all(store.ids()),
  upsert: (store) => store.upsert(records),
  delete: (store) => store.delete(['a']),
  clear: (store) => store.clear(),
};

describe('a server that is not there', () => {
  test('is reported as unavailable', async () => {
    const port = await freePort();
    await expect(open(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
      message: expect.stringMatching(/127\.0\.0\.1.*ECONNREFUSED/),
    });
  });

  test.each(['chroma:8000', 'ftp://host', '', 'http://u:p@host', 'http://host/?key=1'])(
    'cannot have the address %j',
    async (server) => {
      await expect(open(server)).rejects.toMatchObject({ code: 'invalid_argument' });
    },
  );
});

describe('a server that accepts and never answers', () => {
  test('ends in a time-out within the deadline, and its connection with it', async () => {
    // Only those that carry a request: fetch keeps an idle connection at hand.
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => {
      socket.on('error', () => {}).on('data', () => sockets.add(socket));
    });
    onTestFinished(() => void mute.close());
    await once(mute.listen(0, '127.0.0.1'), 'listening');
    const { port } = mute.address() as AddressInfo;
    await expect(open(`http://127.0.0.1:${port}`, { deadline: 200 })).rejects.toMatchObject({
      code: 'timeout',
      retryable: true,
      message: expect.stringContaining('200 ms'),
    });
    await expect.poll(() => [...sockets].every((socket) => socket.closed)).toBe(true);
    expect(sockets.size).toBe(1);
  });

  test('is left at once when the caller has lost interest', async () => {
    const mute = createServer((socket) => void socket.on('error', () => {}).resume());
    onTestFinished(() => void mute.close());
    await once(mute.listen(0, '127.0.0.1'), 'listening');
    const { port } = mute.address() as AddressInfo;
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    mute.once('connection', () => controller.abort(reason));
    const opening = open(`http://127.0.0.1:${port}`, { signal: controller.signal, deadline: 2 ** 31 - 1 });
    await expect(opening).rejects.toBe(reason);
  });
});

describe('a server that is no Chroma of version 1', () => {
  const respond: Record<string, (response: ServerResponse) => void> = {
    'a web page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello'),
    'other JSON': (response) => answer(response, 200, { hello: 'world' }),
    nothing: (response) => response.writeHead(204).end(),
    'not found': (response) => response.writeHead(404).end('no such page'),
    'the first API only': (response) =>
      answer(response, 410, { error: 'Unimplemented', message: 'The v1 API is deprecated' }),
    'an older version': (response) =>
      response.req.url?.endsWith('/version')
        ? answer(response, 200, '0.6.3')
        : answer(response, 200, { 'nanosecond heartbeat': 1 }),
    'a redirect': (response) => response.writeHead(301, { location: 'https://elsewhere.example/' }).end(),
  };

  test.each(Object.entries(respond))('but answers with %s is refused', async (_, respondWith) => {
    await using front = await listen((_incoming, response) => respondWith(response));
    await expect(open(front.url)).rejects.toMatchObject({
      code: 'unsupported',
      retryable: false,
      message: expect.stringContaining('CHROMA_URL'),
    });
  });
});

describe.skipIf(!chroma.available)('a real server', () => {
  let folder: Awaited<ReturnType<typeof tempDir>>;
  let server: ChromaServer;
  let url: string;

  beforeAll(async () => {
    folder = await tempDir();
    server = await ChromaServer.start({ directory: folder.path, command: chroma.command });
    url = await server.url(soon());
  });
  afterAll(async () => {
    await server?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  /** The real server, behind a front that can be told to fail. */
  async function troubled(corpusId: string, options: Options = {}) {
    let trouble: ((response: ServerResponse) => void) | undefined;
    let left = 0;
    let requests = 0;
    const front = await listen((incoming, response) => {
      requests++;
      if (trouble && left-- > 0) trouble(response);
      else passOn(url, incoming, response);
    });
    onTestFinished(() => front[Symbol.asyncDispose]());
    const store = await open(front.url, { corpusId, ...options });
    return {
      store,
      requests: () => requests,
      fail(times: number, how: (response: ServerResponse) => void) {
        trouble = how;
        left = times;
        requests = 0;
      },
    };
  }

  const passing: Record<string, (response: ServerResponse) => void> = {
    'is overloaded (503)': (response) => response.writeHead(503).end('busy'),
    'fails (500)': (response) => answer(response, 500, { error: 'InternalError', message: 'oops' }),
    'is asked too often (429)': (response) =>
      answer(response, 429, { error: 'RateLimit', message: 'slow down' }),
    'cuts the connection': (response) => response.socket?.destroy(),
    'cuts its answer': (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{"ids":[["a"');
      setImmediate(() => response.socket?.destroy());
    },
    'answers with broken JSON': (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ids":'),
  };

  test.each(Object.entries(passing))('that %s for a moment is asked again', async (what, how) => {
    const { store, fail } = await troubled(`moment ${what}`);
    for (const [name, call] of Object.entries(calls)) {
      fail(2, how);
      await call(store).catch((error: unknown) => expect.unreachable(`${name}: ${error}`));
    }
    await store.upsert(records);
    fail(2, how);
    expect(await store.query(Float32Array.of(1, 0), 1)).toEqual([{ id: 'a', distance: 0 }]);
  });

  test.each(Object.entries(passing))('that %s all the time is reported', async (what, how) => {
    const { store, fail } = await troubled(`always ${what}`);
    fail(Number.POSITIVE_INFINITY, how);
    await expect(store.query(Float32Array.of(1, 0), 1)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
  });

  test.each([
    ['an empty object', {}],
    ['no distances', { ids: [['a']], distances: null, include: [] }],
    ['fewer distances than ids', { ids: [['a', 'b']], distances: [[0]], include: ['distances'] }],
    ['a distance that is none', { ids: [['a']], distances: [[null]], include: ['distances'] }],
  ])('that answers a query with %s never reads as "no results"', async (what, body) => {
    const { store, fail } = await troubled(`malformed ${what}`);
    await store.upsert(records);
    fail(1, (response) => answer(response, 200, body));
    await expect(store.query(Float32Array.of(1, 0), 1)).rejects.toMatchObject({ code: 'unsupported' });
  });

  test('whose quota is used up says so, and is not asked again', async () => {
    const { store, fail, requests } = await troubled('quota');
    fail(9, (response) =>
      answer(response, 422, { error: 'QuotaError', message: "Quota exceeded: 'Number of records' exceeded" }),
    );
    await expect(store.upsert(records)).rejects.toMatchObject({ code: 'storage_full', retryable: false });
    expect(requests()).toBe(1);
  });

  test('that loses an answer after it has done the work ends with the work done once', async () => {
    let drop = true;
    await using front = await listen((incoming, response) => {
      if (!drop || !incoming.url?.endsWith('/upsert')) return passOn(url, incoming, response);
      drop = false;
      // The work is done; only the caller will not hear of it.
      response.writeHead = () => response;
      response.write = () => true;
      response.end = () => response.destroy() as never;
      passOn(url, incoming, response);
    });
    const store = await open(front.url, { corpusId: 'answer lost' });
    await store.upsert(records);
    expect(drop).toBe(false);
    expect(await store.count()).toBe(2);
  });

  test('whose collection was replaced tells each of its users once, and serves them again', async () => {
    const [one, other] = [
      await open(url, { corpusId: 'replaced' }),
      await open(url, { corpusId: 'replaced' }),
    ];
    await one.upsert(records);
    await drop(url, one.collection);
    await expect(one.query(Float32Array.of(1, 0), 1)).rejects.toMatchObject({ code: 'data_lost' });
    await one.upsert(records);
    await expect(other.count()).rejects.toMatchObject({ code: 'data_lost' });
    expect(await other.count()).toBe(2);
    expect(await other.query(Float32Array.of(1, 0), 1)).toEqual([{ id: 'a', distance: 0 }]);
  });

  test.each(Object.entries(calls))('that lost the collection says so to %s', async (name, call) => {
    const store = await open(url, { corpusId: `lost to ${name}` });
    await store.upsert(records);
    await drop(url, store.collection);
    await expect(call(store)).rejects.toMatchObject({ code: 'data_lost' });
  });

  test('that lost the collection never reads as "no results", and is filled again', async () => {
    const store = await open(url, { corpusId: 'lost' });
    await store.upsert(records);
    await drop(url, store.collection);
    for (let round = 0; round < 2; round++) {
      await expect(store.query(Float32Array.of(1, 0), 1)).rejects.toMatchObject({ code: 'data_lost' });
      await expect(store.count()).rejects.toMatchObject({ code: 'data_lost' });
    }
    // What levelling a store does: look at what is there, remove what is too much, add what is missing.
    expect(await all(store.ids())).toEqual([]);
    await store.delete(['a']);
    await store.clear();
    await expect(store.count()).rejects.toMatchObject({ code: 'data_lost' });
    await store.upsert(records);
    expect(await store.count()).toBe(2);
    expect(await store.query(Float32Array.of(1, 0), 1)).toEqual([{ id: 'a', distance: 0 }]);
  });

  test('that is killed during an upsert is healed when it is ours', async () => {
    await using own = await tempDir();
    const ours = await ChromaServer.start({ directory: own.path, command: chroma.command });
    const store = await open(ours, { fingerprint: { ...fingerprint, dimensions: 384 }, deadline: 30_000 });
    const many = Array.from({ length: 2000 }, (_, index) =>
      record(
        `id-${index}`,
        ...Array.from({ length: 384 }, (_, place) => Math.sin((index + 1) * (place + 1))),
      ),
    );
    const upserting = store.upsert(many);
    await expect.poll(() => store.count(), { timeout: 30_000 }).toBeGreaterThan(0);
    const pid = serverPid(own.path);
    process.kill(pid, 'SIGKILL');
    await upserting;
    await untilGone(pid);
    expect(await store.count()).toBe(2000);
    expect((await store.query(many[7]!.vector, 1))[0]?.id).toBe('id-7');
  });
});

describe.skipIf(!chroma.available)('an outside server', () => {
  test('that is killed and comes back loses nothing', async () => {
    await using folder = await tempDir();
    await using server = await OutsideServer.start(folder.path);
    const store = await open(server.url);
    await store.upsert(records);
    await server.kill();
    for (const [name, call] of Object.entries(calls)) {
      const error = await call(store).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(VectorStoreError.isInstance(error) && error.code, name).toBe('unavailable');
    }
    await server.start(folder.path);
    expect(await store.query(Float32Array.of(1, 0), 2)).toEqual([
      { id: 'a', distance: 0 },
      { id: 'b', distance: 1 },
    ]);
  });

  test('that comes back empty is reported, and filled again', async () => {
    await using folder = await tempDir();
    await using server = await OutsideServer.start(join(folder.path, 'first'));
    const store = await open(server.url);
    await store.upsert(records);
    await server.kill();
    await rm(join(folder.path, 'first'), { recursive: true });
    await server.start(join(folder.path, 'second'));
    await expect(store.query(Float32Array.of(1, 0), 1)).rejects.toMatchObject({ code: 'data_lost' });
    expect(await all(store.ids())).toEqual([]);
    await store.upsert(records);
    expect(await store.query(Float32Array.of(1, 0), 1)).toEqual([{ id: 'a', distance: 0 }]);
  });
});

async function drop(url: string, collection: string): Promise<void> {
  const path = `/api/v2/tenants/default_tenant/databases/default_database/collections/${collection}`;
  const { ok } = await fetch(url + path, { method: 'DELETE' });
  expect(ok).toBe(true);
}
