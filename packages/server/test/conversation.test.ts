import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { sampleFiles } from './support/sample-corpus.js';
import { initializeParams, ServerProcess, type Wire } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

afterAll(ServerProcess.killAll);

const env = async () => ({ CORPUS_DIR: await tempFolder(sampleFiles), INDEX_DIR: await tempFolder() });
/** A model hub that takes requests and never answers. */
async function silentHub(): Promise<string> {
  const hub = createServer(() => {}).listen(0, '127.0.0.1');
  await once(hub, 'listening');
  hubs.push(hub);
  return `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
}

const hubs: Server[] = [];
afterAll(() => {
  for (const hub of hubs) hub.closeAllConnections();
  for (const hub of hubs) hub.close();
});

const dog = { name: 'search', arguments: { query: 'can I bring a dog', top_k: 1 } };

describe('a conversation', () => {
  it('of four messages gets three replies and nothing else, though everything is piped in at once', async () => {
    const server = new ServerProcess(await env());
    for (const message of [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: dog },
    ])
      server.send(message);
    // The index does not exist yet: the last answer needs the model and a first synchronisation.
    expect(await server.end()).toBe(0);
    expect(server.impure).toEqual([]);
    expect(server.received.map(({ id }) => id)).toEqual([1, 2, 3]);
    for (const message of server.received) expect(Object.keys(message)).toEqual(['jsonrpc', 'id', 'result']);
    const [first, second, third] = server.received as [Wire, Wire, Wire];
    expect(first.result.serverInfo.name).toBe('rag-search-server');
    expect(second.result.tools).toHaveLength(3);
    expect(third.result.isError).toBe(false);
    expect(third.result.content[0].text).toMatch(
      /^\[1\] source: pets\.txt \(distance: 0\.\d\d\)\npassage: \nPets\n\nDogs are welcome/,
    );
  });

  it('with fifty requests in flight answers each once, the quick ones before the slow ones', async () => {
    const server = new ServerProcess(await env());
    await server.initialize();
    const replies = Array.from({ length: 50 }, (_, index) => {
      if (index % 5 === 4) return server.ask('tools/list', undefined, `request ${index}`);
      const query = { query: `question number ${index}`, top_k: (index % 3) + 1 };
      return server.ask('tools/call', { name: 'search', arguments: query }, `request ${index}`);
    });
    const answers = await Promise.all(replies);
    answers.forEach(({ id, result }, index) => {
      expect(id).toBe(`request ${index}`);
      if (index % 5 === 4) expect(result.tools).toHaveLength(3);
      else expect(result.structuredContent.results).toHaveLength((index % 3) + 1);
    });
    const order = server.received.slice(1).map(({ id }) => id);
    expect(order).toHaveLength(50);
    expect(order.indexOf('request 49')).toBeLessThan(order.indexOf('request 0'));
    expect(await server.end()).toBe(0);
  });

  it('that ends does not wait for a request that was cancelled', async () => {
    const server = new ServerProcess({
      ...(await env()),
      EMBEDDING_MODEL: 'nobody/slow',
      HF_ENDPOINT: await silentHub(),
    });
    await server.initialize();
    server.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: dog });
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
    expect(await server.end()).toBe(0);
    expect(server.received).toHaveLength(1);
  });

  it('whose client died ends with the first line that nobody reads, though a search still waits', async () => {
    const server = new ServerProcess({
      ...(await env()),
      EMBEDDING_MODEL: 'nobody/slow',
      HF_ENDPOINT: await silentHub(),
    });
    await server.initialize();
    server.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: dog });
    await server.ask('ping');
    server.child.stdout.destroy();
    server.send({ jsonrpc: '2.0', id: 'unread', method: 'ping' });
    // Without the broken pipe it would wait for the search, for longer than a test may take.
    expect(await server.end()).toBe(0);
  });

  it('that ends at once after a question still gets all of a long answer', async () => {
    const text = `${'A long story about tea. '.repeat(10)}\n\n`.repeat(8000);
    const server = new ServerProcess({
      CORPUS_DIR: await tempFolder({ 'long.txt': text }),
      INDEX_DIR: await tempFolder(),
    });
    await server.initialize();
    const params = { name: 'get_document', arguments: { name: 'long.txt' } };
    server.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
    // Many times what a pipe holds: most of it is still in the process when it has nothing else to do.
    expect(await server.end()).toBe(0);
    expect(server.received[1].result.structuredContent.text).toBe(text);
  });

  it('in an older revision holds no content that it does not know', async () => {
    const server = new ServerProcess(await env());
    await server.initialize({ protocolVersion: '2025-03-26' });
    const { result } = await server.ask('tools/call', dog);
    expect(result.content.map(({ type }: { type: string }) => type)).toEqual(['text']);
    await server.end();
  });

  it('that ends by a signal while a search waits still gets its answer, as an error', async () => {
    const server = new ServerProcess({
      ...(await env()),
      EMBEDDING_MODEL: 'nobody/nothing',
      HF_ENDPOINT: 'http://127.0.0.1:9',
    });
    await server.initialize();
    const answer = server.ask('tools/call', dog);
    server.child.kill('SIGTERM');
    const { result } = await answer;
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(
      /^(The server is ending|The embedding model nobody\/nothing can not be loaded)/,
    );
    expect((await server.exit).code).toBe(0);
  });
});
