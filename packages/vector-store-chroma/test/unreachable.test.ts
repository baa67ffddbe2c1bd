import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answer, listen } from './support/front.js';
import { freePort } from './support/outside-server.js';
import { open } from './support/store.js';

describe('a server that is not there', () => {
  test('is reported as unavailable', async () => {
    const port = await freePort();
    await expect(open(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
      message: expect.stringMatching(/127\.0\.0\.1.*ECONNREFUSED.*CHROMA_URL/),
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

  test('as well as one whose answer never ends', async () => {
    await using front = await listen((_incoming, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const dribble = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(dribble));
    });
    await expect(open(front.url, { deadline: 200 })).rejects.toMatchObject({ code: 'timeout' });
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
