import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chroma } from './support/chroma-command.js';
import { answer, listen, passOn } from './support/front.js';
import { useServer } from './support/private-server.js';
import { calls, type Options, open, records } from './support/store.js';

describe.skipIf(!chroma.available)('a real server', () => {
  const own = useServer();

  /** The real server, behind a front that can be told to fail. */
  async function troubled(corpusId: string, options: Options = {}) {
    let trouble: ((response: ServerResponse) => void) | undefined;
    let left = 0;
    let requests = 0;
    const front = await listen((incoming, response) => {
      requests++;
      if (trouble && left-- > 0) trouble(response);
      else passOn(own.url, incoming, response);
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
      if (!drop || !incoming.url?.endsWith('/upsert')) return passOn(own.url, incoming, response);
      drop = false;
      // The work is done; only the caller will not hear of it.
      response.writeHead = () => response;
      response.write = () => true;
      response.end = () => response.destroy() as never;
      passOn(own.url, incoming, response);
    });
    const store = await open(front.url, { corpusId: 'answer lost' });
    await store.upsert(records);
    expect(drop).toBe(false);
    expect(await store.count()).toBe(2);
  });
});
