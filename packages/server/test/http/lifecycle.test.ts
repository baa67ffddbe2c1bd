import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSmallCorpus, ServerProcess, type SmallCorpus } from './server-process.js';
import {
  connectClient,
  initialize,
  messages,
  openSession,
  post,
  searchFor,
  startServer,
} from './test-server.js';

/** A connection on which nothing was said yet. */
async function openConnection(url: URL) {
  const socket = connect(Number(url.port), url.hostname);
  await once(socket, 'connect');
  const first = once(socket, 'data');
  return {
    /** What comes first. */
    answered: first.then(([chunk]) => String(chunk)),
    ended: text(socket),
    send: (request: string, body = '', headers: Record<string, string> = {}) =>
      socket.write(
        [
          `${request} HTTP/1.1`,
          `host: ${url.host}`,
          'content-type: application/json',
          'accept: application/json, text/event-stream',
          `content-length: ${Buffer.byteLength(body)}`,
          ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
          '',
          body,
        ].join('\r\n'),
      ),
  };
}

describe('health', () => {
  it('is alive from the start, and ready once searches are answered', async () => {
    const { url, index } = await startServer();
    const status = async (path: string) => {
      const response = await fetch(new URL(path, url));
      return [response.status, await response.json()];
    };
    index.searchable = false;
    expect(await status('/healthz')).toEqual([200, { status: 'alive' }]);
    expect(await status('/readyz')).toEqual([503, { status: 'starting' }]);
    index.searchable = true;
    expect(await status('/readyz')).toEqual([200, { status: 'ready' }]);
    expect((await fetch(new URL('/elsewhere', url))).status).toBe(404);
  });
});

describe('draining', () => {
  it('answers what is in flight, ends streams, and takes nothing new', async () => {
    const { url, index, service } = await startServer();
    const session = await openSession(url);
    const stream = await fetch(url, { headers: { ...session, accept: 'text/event-stream' } });
    const reply = post(url, searchFor('wait'), session);
    await index.untilWaiting(1);
    const drained = service.drain();
    expect(await messages(stream)).toEqual([]);
    await expect(post(url, initialize)).rejects.toThrow();
    index.release();
    expect(await messages(await reply)).toMatchObject([{ id: 1, result: { isError: false } }]);
    await drained;
    await service.close();
    expect(service.sessions).toBe(0);
  });

  it('refuses what comes on a connection that is still open, and says that it ends', async () => {
    const { url, index, service } = await startServer();
    const session = await openSession(url);
    const busy = post(url, searchFor('wait'), session).then(messages);
    await index.untilWaiting(1);
    const probe = await openConnection(url);
    const late = await openConnection(url);
    // Connections are accepted in turn: when a later one is answered, the server has these.
    expect((await fetch(new URL('/healthz', url), { headers: { connection: 'close' } })).status).toBe(200);
    const drained = service.drain();
    probe.send('GET /readyz');
    late.send('POST /mcp', JSON.stringify(searchFor('dog', 2)), session);
    for (const { answered } of [probe, late]) expect(await answered).toMatch(/^HTTP\/1\.1 503 /);
    expect(await late.ended).toMatch(/^connection: close\r$/im);
    index.release();
    expect(await busy).toMatchObject([{ id: 1, result: {} }]);
    await drained;
    await service.close();
  });

  it('cuts what takes longer than the time of grace', async () => {
    const { url, index, service } = await startServer({ limits: { graceMs: 50 } });
    const reply = post(url, searchFor('wait'), await openSession(url)).then(messages);
    await index.untilWaiting(1);
    await service.drain();
    await service.close();
    expect(await reply).toEqual([]);
    expect(index.cancelled).toBe(1);
  });

  it('may be asked for twice', async () => {
    const { service } = await startServer();
    await service.drain();
    await Promise.all([service.close(), service.close()]);
  });
});

describe('a client that vanishes', () => {
  it('in the middle of a request does not hurt the others', async () => {
    const { url, index, logged } = await startServer();
    const session = await openSession(url);
    const gone = new AbortController();
    const call = fetch(url, {
      method: 'POST',
      signal: gone.signal,
      headers: {
        ...session,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(searchFor('wait')),
    }).then(messages);
    await index.untilWaiting(1);
    gone.abort();
    await expect(call).rejects.toThrow();
    index.release();
    const { client } = await connectClient(url);
    expect((await client.listTools()).tools).toHaveLength(3);
    expect(await messages(await post(url, searchFor('dog', 2), session))).toMatchObject([
      { id: 2, result: {} },
    ]);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('in the middle of its body leaves nothing in the log', async () => {
    const { url, logged } = await startServer();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"jsonrpc":')),
      pull: (controller) => controller.error(new Error('gone')),
    });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    await expect(fetch(url, { method: 'POST', headers, body, duplex: 'half' })).rejects.toThrow();
    await openSession(url);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('with its own stream open frees that stream', async () => {
    const { url } = await startServer();
    const session = { ...(await openSession(url)), accept: 'text/event-stream' };
    const first = await fetch(url, { headers: session });
    await first.body!.cancel();
    const statuses = new Set<number>();
    // The server hears of it as soon as the system tells it.
    while (!statuses.has(200)) {
      const response = await fetch(url, { headers: session });
      statuses.add(response.status);
      await response.body!.cancel();
    }
    for (const status of statuses) expect([200, 409]).toContain(status);
  });
});

describe('the process', () => {
  let corpus: SmallCorpus;
  let server: ServerProcess | undefined;

  beforeEach(async () => {
    corpus = await makeSmallCorpus();
  });
  afterEach(async () => {
    await server?.kill();
    await corpus.remove();
  });

  function start(env: Record<string, string> = {}): ServerProcess {
    server = new ServerProcess({ ...corpus.env, ...env });
    return server;
  }

  it('tells its address on stderr, serves, answers what is in flight on SIGTERM, and exits with 0', async () => {
    const process = start();
    const { client } = await connectClient(await process.url());
    // The first search of a new index waits: the signal comes before its answer.
    const answer = client.callTool({ name: 'search', arguments: { query: 'can I bring a dog' } }, undefined, {
      // Once: the second signal would end the process at once.
      onprogress: () => process.child.killed || process.child.kill('SIGTERM'),
    });
    expect(await answer).toMatchObject({
      isError: false,
      structuredContent: { results: [{ source: 'dogs.txt' }, { source: 'hours.txt' }] },
    });
    expect(await process.exited).toEqual([0, null]);
    expect(process.stdout).toBe('');
  });

  it.each(['SIGINT', 'SIGHUP'] as const)('ends with 0 on %s as well', async (signal) => {
    const process = start();
    await process.url();
    process.child.kill(signal);
    expect(await process.exited).toEqual([0, null]);
    expect(process.stdout).toBe('');
  });

  it.each([
    ['0.0.0.0', 'set MCP_AUTH_TOKEN'],
    ['::', 'set MCP_AUTH_TOKEN'],
    ['192.0.2.1', 'set MCP_AUTH_TOKEN'],
    ['example.com', 'HOST must be localhost or an IP address of this machine, not "example.com"'],
  ])(
    'refuses HOST %s without a token',
    async (HOST, says) => {
      const { exited } = start({ HOST });
      expect(await exited).toEqual([2, null]);
      expect(server!.stderr.trim().split('\n')).toHaveLength(1);
      expect(server!.stderr).toContain(says);
    },
    20_000,
  );

  it('says so when HOST is no address of this machine', async () => {
    const { exited } = start({ HOST: '192.0.2.1', MCP_AUTH_TOKEN: 'secret' });
    expect(await exited).toEqual([1, null]);
    expect(server!.stderr).toMatch(
      /^kettle: Cannot listen on HOST 192\.0\.2\.1, .*no address of this machine; set it to one that is$/m,
    );
  });

  it('says so when the port is taken', async () => {
    const { url } = await startServer();
    const { exited } = start({ PORT: url.port });
    expect(await exited).toEqual([1, null]);
    expect(server!.stderr).toContain(`PORT ${url.port}: EADDRINUSE, another process listens there`);
  });
});
