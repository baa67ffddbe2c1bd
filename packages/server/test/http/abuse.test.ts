import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSmallCorpus, ServerProcess, type SmallCorpus } from './server-process.js';
import {
  initialize,
  messages,
  openSession,
  post,
  searchFor,
  startServer,
  type TestServer,
} from './test-server.js';

/** Sends bytes as they are, ends its side unless told not to, and gives all that comes back. */
async function raw(url: URL, bytes: string | Buffer, end = true): Promise<string> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  if (end) socket.end();
  return text(socket).catch(() => '');
}

const head =
  'Host: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n';

/** It still serves, and thinks that nothing of it was its own fault. */
async function isWell({ url, logged }: TestServer): Promise<void> {
  const session = await openSession(url);
  expect(await messages(await post(url, searchFor('dog'), session))).toMatchObject([{ id: 1, result: {} }]);
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
}

describe('nonsense on a socket', () => {
  it.each(['//', '///', '/\\', 'http://', 'http://[', '*', '/mcp%', '/mcp/..//', '/%00', '?', '/mcp#x'])(
    'such as the address %s is refused as a fault of its sender',
    async (target) => {
      const server = await startServer();
      const answer = await raw(
        server.url,
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      await isWell(server);
    },
  );

  it.each([
    ['half a request line', 'POST /mc'],
    ['bytes that are no HTTP', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc])],
    ['headers of 100 kB', `POST /mcp HTTP/1.1\r\n${head}X: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['ten thousand headers', `POST /mcp HTTP/1.1\r\n${head}${'X: y\r\n'.repeat(10_000)}\r\n`],
    ['two lengths', `POST /mcp HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    [
      'a length and chunks',
      `POST /mcp HTTP/1.1\r\n${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    ],
    ['a chunk of bad length', `POST /mcp HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['a body that ends early', `POST /mcp HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n{`],
    [
      'an upgrade',
      `GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ],
    ['CONNECT', 'CONNECT evil.example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['no Host', 'GET /mcp HTTP/1.1\r\n\r\n'],
  ])('such as %s gets no success, and hurts nobody', async (_what, bytes) => {
    const server = await startServer();
    expect(await raw(server.url, bytes)).not.toMatch(/^HTTP\/1\.1 [235]/);
    await isWell(server);
  });

  it('such as chunks without an end is cut at the limit for bodies', async () => {
    const server = await startServer({ limits: { bodyBytes: 1000 } });
    const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;
    const answer = await raw(
      server.url,
      `POST /mcp HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`,
      false,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    await isWell(server);
  });
});

describe('a token', () => {
  it('in the address, in bytes beyond ASCII, or sent twice opens nothing', async () => {
    const { url } = await startServer({ env: { MCP_AUTH_TOKEN: 'secret' } });
    const body = JSON.stringify(initialize);
    const send = (target: string, headers: string) =>
      raw(
        url,
        `POST ${target} HTTP/1.1\r\n${head}${headers}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    for (const [target, headers] of [
      ['/mcp?token=secret', ''],
      ['/mcp?access_token=secret&authorization=Bearer%20secret', ''],
      ['/mcp', 'Authorization: Bearer s\u00e9cret\r\n'],
      ['/mcp', 'Authorization: Bearer \u{1f511}\r\n'],
      ['/mcp', 'Authorization: Bearer wrong\r\nAuthorization: Bearer secret\r\n'],
    ] as const)
      expect(await send(target, headers)).toMatch(/^HTTP\/1\.1 401 /);
    expect(await send('/mcp', 'Authorization: Bearer secret\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a session', () => {
  it('never bears an id that a client chose', async () => {
    const { url, service } = await startServer();
    const chosen = { 'mcp-session-id': '11111111-1111-4111-8111-111111111111' };
    expect((await post(url, initialize, chosen)).status).toBe(404);
    expect(service.sessions).toBe(0);
  });

  it('that is deleted while a search runs ends that search, and only that', async () => {
    const server = await startServer();
    const { url, index, service } = server;
    const [mine, other] = [await openSession(url), await openSession(url)];
    const gone = post(url, searchFor('wait', 1), mine).then(messages);
    const kept = post(url, searchFor('wait', 1), other).then(messages);
    await index.untilWaiting(2);
    expect((await fetch(url, { method: 'DELETE', headers: mine })).status).toBe(200);
    expect(await gone).toEqual([]);
    expect([index.cancelled, index.waiting, service.sessions]).toEqual([1, 1, 1]);
    expect((await post(url, searchFor('dog', 2), mine)).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE', headers: mine })).status).toBe(404);
    index.release();
    expect(await kept).toMatchObject([{ id: 1, result: { isError: false } }]);
    await isWell(server);
  });

  it('is one of a thousand at most: more of them push out the idle, and each end is clean', async () => {
    const server = await startServer({ limits: { requestsPerSecond: 1e6, requestBurst: 1e6 } });
    const { url, index, service } = server;
    const first = await openSession(url);
    for (let k = 0; k < 1100; k++) await openSession(url);
    expect(service.sessions).toBe(1000);
    // Each listens for changes of the index as long as it lives.
    expect(index.listeners).toBe(1000);
    expect((await post(url, searchFor('dog'), first)).status).toBe(404);
    await isWell(server);
  });
});

describe('the process', () => {
  let corpus: SmallCorpus | undefined;
  let server: ServerProcess | undefined;
  afterEach(async () => {
    await server?.kill();
    await corpus?.remove();
  });

  it('that is told to end while streams are open exits with 0; told twice, it ends at once', async () => {
    corpus = await makeSmallCorpus();
    for (const signals of [1, 2]) {
      server = new ServerProcess(corpus.env);
      const url = await server.url();
      const session = await openSession(url);
      const stream = await fetch(url, { headers: { ...session, accept: 'text/event-stream' } });
      for (let k = 0; k < signals; k++) server.child.kill('SIGTERM');
      await stream.text().catch(() => {});
      const [code, signal] = await server.exited;
      // The second signal may come when everything is over.
      expect([[0, null], ...(signals === 2 ? [[null, 'SIGTERM']] : [])]).toContainEqual([code, signal]);
    }
  });
});
