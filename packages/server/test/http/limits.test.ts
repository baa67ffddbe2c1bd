import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import {
  events,
  initialize,
  initializeWith,
  messages,
  openSession,
  post,
  searchFor,
  startServer,
} from './test-server.js';

/** A clock that only the test moves. */
function testClock() {
  let time = 1_000_000;
  return { now: () => time, advance: (milliseconds: number) => (time += milliseconds) };
}

/** What the server says on a connection until it ends it, when this is all that is sent. */
function exchange(url: URL, sent: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname, () => socket.write(sent));
    let received = '';
    socket.on('data', (chunk) => (received += chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(received));
  });
}

describe('the body limit', () => {
  it('refuses more with 413, declared or not, and goes on serving', async () => {
    const { url } = await startServer({ limits: { bodyBytes: 1000 } });
    const session = await openSession(url);
    const long = searchFor('x'.repeat(1000));
    const declared = await post(url, long, session);
    expect(declared.status).toBe(413);
    expect(await declared.json()).toMatchObject({ id: null, error: { code: -32000 } });
    const undeclared = await fetch(url, {
      method: 'POST',
      headers: {
        ...session,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: new Blob([JSON.stringify(long)]).stream(),
      duplex: 'half',
    });
    expect(undeclared.status).toBe(413);
    expect(await messages(await post(url, searchFor('dog'), session))).toMatchObject([{ id: 1, result: {} }]);
  });

  it('is four mebibytes by default', async () => {
    const { url } = await startServer();
    const session = await openSession(url);
    const call = (characters: number) => JSON.stringify(searchFor('x'.repeat(characters)));
    const limit = 4 * 1024 * 1024;
    const most = limit - call(0).length;
    const [reply] = await messages(await post(url, call(most), session));
    expect(reply).toMatchObject({ id: 1, result: { isError: true } });
    expect((await post(url, call(most + 1), session)).status).toBe(413);
  });
});

describe('the pace', () => {
  it('is kept with 429 and the time to wait, and counts for each session by itself', async () => {
    const clock = testClock();
    const { url } = await startServer({ now: clock.now, limits: { requestsPerSecond: 2, requestBurst: 4 } });
    const [first, second] = [await openSession(url), await openSession(url)];
    const statuses = [];
    for (let k = 0; k < 5; k++) statuses.push((await post(url, searchFor('dog', k), first)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    const refused = await post(url, searchFor('dog'), first);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await post(url, searchFor('dog'), second)).status).toBe(200);
    clock.advance(1000);
    expect((await post(url, searchFor('dog', 10), first)).status).toBe(200);
    expect((await post(url, searchFor('dog', 11), first)).status).toBe(200);
    expect((await post(url, searchFor('dog', 12), first)).status).toBe(429);
  });

  it('holds back who guesses at the token, or at ids of sessions', async () => {
    const clock = testClock();
    const limits = { requestsPerSecond: 1, requestBurst: 3 };
    const { url } = await startServer({ now: clock.now, limits, env: { MCP_AUTH_TOKEN: 'secret' } });
    const statuses = [];
    for (let k = 0; k < 5; k++) {
      const guess = { authorization: `Bearer ${k}`, 'mcp-session-id': `guess-${k}` };
      statuses.push((await post(url, initialize, guess)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });

  it('leaves the questions about health alone', async () => {
    const { url } = await startServer({ limits: { requestsPerSecond: 1, requestBurst: 1 } });
    for (let k = 0; k < 5; k++) expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  });
});

describe('requests in flight', () => {
  it('are bounded for each session', async () => {
    const { url, index } = await startServer({ limits: { requestsInFlight: 2 } });
    const session = await openSession(url);
    const waiting = [post(url, searchFor('wait', 1), session), post(url, searchFor('wait', 2), session)];
    await index.untilWaiting(2);
    const third = await post(url, searchFor('dog', 3), session);
    expect(third.status).toBe(429);
    expect(await third.json()).toMatchObject({ id: 3 });
    expect((await post(url, searchFor('dog', 3), await openSession(url))).status).toBe(200);
    index.release();
    for (const response of waiting) expect(await messages(await response)).toHaveLength(1);
    expect((await post(url, searchFor('dog', 3), session)).status).toBe(200);
  });

  it('have ids of their own: one in use is refused, so that each request has one reply', async () => {
    const { url, index } = await startServer();
    const session = await openSession(url, {}, '2025-03-26');
    const waiting = post(url, searchFor('wait', 1), session);
    await index.untilWaiting(1);
    const twice = await post(url, searchFor('dog', 1), session);
    expect(twice.status).toBe(400);
    expect(await twice.json()).toMatchObject({ id: 1, error: { code: -32600 } });
    const batch = await post(url, [searchFor('dog', 2), searchFor('dog', 2)], session);
    expect(batch.status).toBe(400);
    expect(await batch.json()).toMatchObject({ id: 2, error: { code: -32600 } });
    index.release();
    expect(await messages(await waiting)).toMatchObject([{ id: 1, result: {} }]);
  });
});

describe('sessions', () => {
  it('end when nobody has used them for long, unless a stream is open', async () => {
    const clock = testClock();
    const { url, service } = await startServer({ now: clock.now, limits: { sessionIdleMs: 1000 } });
    const [idle, used, listening] = [await openSession(url), await openSession(url), await openSession(url)];
    const stream = await fetch(url, { headers: { ...listening, accept: 'text/event-stream' } });
    clock.advance(900);
    expect((await post(url, searchFor('dog'), used)).status).toBe(200);
    clock.advance(100);
    await service.sweep();
    expect((await post(url, searchFor('dog', 2), idle)).status).toBe(404);
    expect((await post(url, searchFor('dog', 2), used)).status).toBe(200);
    expect((await post(url, searchFor('dog', 2), listening)).status).toBe(200);
    await stream.body!.cancel();
  });

  it('end by themselves, with nobody asking for it', async () => {
    const { url, service } = await startServer({ limits: { sessionIdleMs: 20 } });
    const session = await openSession(url);
    await vi.waitUntil(() => service.sessions === 0, { timeout: 30_000 });
    expect((await post(url, searchFor('dog'), session)).status).toBe(404);
  });

  it('give way to new ones when there are too many, the longest idle first', async () => {
    const clock = testClock();
    const { url, service } = await startServer({ now: clock.now, limits: { sessions: 2 } });
    const first = await openSession(url);
    clock.advance(10);
    const second = await openSession(url);
    clock.advance(10);
    await openSession(url);
    expect(service.sessions).toBe(2);
    expect((await post(url, searchFor('dog'), first)).status).toBe(404);
    expect((await post(url, searchFor('dog'), second)).status).toBe(200);
  });

  it('give way in the order of their use: a client that opens and opens ends its own', async () => {
    const clock = testClock();
    const { url, service } = await startServer({ now: clock.now, limits: { sessions: 5 } });
    const used = await openSession(url);
    await messages(await post(url, searchFor('dog'), used));
    for (let k = 0; k < 20; k++) {
      clock.advance(10);
      await openSession(url);
    }
    expect(service.sessions).toBe(5);
    expect((await post(url, searchFor('dog'), used)).status).toBe(200);
  });

  // Only Linux has more than one address on the loopback by itself.
  it.skipIf(process.platform !== 'linux')(
    'of a client that floods give way to each other, not those of others',
    async () => {
      const clock = testClock();
      const { url, service } = await startServer({ now: clock.now, limits: { sessions: 5 } });
      const [used, unused] = [await openSession(url), await openSession(url)];
      await messages(await post(url, searchFor('dog'), used));
      for (let k = 0; k < 20; k++) {
        clock.advance(10);
        const { status, session } = await initializeWith(url, { localAddress: '127.0.0.2' });
        expect(status).toBe(200);
        await messages(await post(url, searchFor('dog'), session));
      }
      expect(service.sessions).toBe(5);
      for (const session of [used, unused])
        expect((await post(url, searchFor('dog'), session)).status).toBe(200);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'that are all busy let their client open no more in the place of others',
    async () => {
      const clock = testClock();
      const { url, index } = await startServer({ now: clock.now, limits: { sessions: 3 } });
      const idle = await openSession(url);
      const busy: Promise<Response>[] = [];
      for (let k = 0; k < 2; k++) {
        const { session } = await initializeWith(url, { localAddress: '127.0.0.2' });
        busy.push(post(url, searchFor('wait'), session));
      }
      await index.untilWaiting(2);
      clock.advance(10);
      expect((await initializeWith(url, { localAddress: '127.0.0.2' })).status).toBe(503);
      expect((await post(url, { jsonrpc: '2.0', id: 9, method: 'ping' }, idle)).status).toBe(200);
      index.release();
      for (const response of busy) await messages(await response);
    },
  );

  it('are refused with 503 when all that are there are busy', async () => {
    const { url, index } = await startServer({ limits: { sessions: 1 } });
    const busy = post(url, searchFor('wait'), await openSession(url));
    await index.untilWaiting(1);
    const refused = await post(url, initialize);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('60');
    index.release();
    expect(await messages(await busy)).toMatchObject([{ id: 1, result: {} }]);
  });
});

describe('slow and silent connections', () => {
  it('are cut when the headers, or the body, do not come', async () => {
    const { url } = await startServer({ limits: { headersMs: 50, requestMs: 50 } });
    expect(await exchange(url, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n')).toMatch(/^HTTP\/1.1 408 /);
    const half =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
    expect(await exchange(url, half)).toMatch(/^HTTP\/1.1 408 /);
    await openSession(url);
  });

  it('are cut when the client does not read; whoever reads keeps even a stream on which nothing happens', async () => {
    const { url, index, untilLogged } = await startServer({ limits: { stalledMs: 1000, keepAliveMs: 50 } });
    const listening = await openSession(url);
    const subscribe = { uri: 'kettle://documents/faq.txt' };
    await post(url, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: subscribe }, listening);
    const stream = events(await fetch(url, { headers: { ...listening, accept: 'text/event-stream' } }));

    const body = JSON.stringify(searchFor('long'));
    const head = Object.entries({
      ...(await openSession(url)),
      host: 'localhost',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': String(body.length),
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    const deaf = connect(Number(url.port), url.hostname).pause();
    deaf.on('error', () => {});
    // Asks for a megabyte, over and over, and never reads a byte.
    for (let k = 0; k < 10; k++) {
      deaf.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body.replace('"id":1', `"id":${k}`)}`);
    }
    await untilLogged('does not read');
    deaf.destroy();

    index.change('faq.txt');
    expect((await stream.next()).value).toMatchObject({
      data: { method: 'notifications/resources/updated' },
    });
    await stream.return(undefined);
  });
});
