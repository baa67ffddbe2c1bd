import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  connectClient,
  initialize,
  messages,
  openSession,
  post,
  searchFor,
  startServer,
} from './test-server.js';

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
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  let folder: string;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kettle-http-'));
    await writeFile(join(folder, 'faq.txt'), 'Dogs are welcome on the terrace.\n');
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  function start(env: Record<string, string>): {
    exited: Promise<unknown[]>;
    stderr: () => string;
    stdout: () => string;
  } {
    const started = spawn(process.execPath, [main], {
      env: {
        ...process.env,
        MCP_TRANSPORT: 'http',
        PORT: '0',
        CORPUS_DIR: folder,
        INDEX_DIR: join(folder, '.index'),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    let stdout = '';
    let stderr = '';
    started.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    started.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    return { exited: once(started, 'close'), stderr: () => stderr, stdout: () => stdout };
  }

  async function untilListening(stderr: () => string): Promise<URL> {
    for (;;) {
      const url = /http:\/\/[\d.:[\]]+\/mcp/.exec(stderr())?.[0];
      if (url) return new URL(url);
      await once(child!.stderr!, 'data');
    }
  }

  it('tells its address on stderr, serves, and exits with 0 on SIGTERM', async () => {
    const { exited, stderr, stdout } = start({});
    const url = await untilListening(stderr);
    const { client } = await connectClient(url);
    const { structuredContent } = await client.callTool({ name: 'list_documents', arguments: {} });
    expect(structuredContent).toMatchObject({ documents: [{ name: 'faq.txt' }] });
    child!.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(stdout()).toBe('');
  }, 60_000);

  it.each([
    ['0.0.0.0', 2],
    ['::', 2],
    ['192.0.2.1', 2],
  ])('refuses HOST %s without a token: one line, exit code 2', async (HOST, code) => {
    const { exited, stderr } = start({ HOST });
    expect(await exited).toEqual([code, null]);
    expect(stderr().trim().split('\n')).toHaveLength(1);
    expect(stderr()).toContain('MCP_AUTH_TOKEN');
  });

  it('says so when the port is taken', async () => {
    const { url } = await startServer();
    const { exited, stderr } = start({ PORT: url.port });
    expect(await exited).toEqual([1, null]);
    expect(stderr()).toContain(`PORT ${url.port}: EADDRINUSE`);
  }, 20_000);
});
