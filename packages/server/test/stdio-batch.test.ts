import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleFiles } from './support/sample-corpus.js';
import { ServerProcess, type Wire } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

afterAll(ServerProcess.killAll);

const request = (id: unknown, method = 'ping', params?: object) => ({ jsonrpc: '2.0', id, method, params });
const notification = (method: string) => ({ jsonrpc: '2.0', method });
const pong = (id: unknown) => ({ jsonrpc: '2.0', id, result: {} });
const refusal = (code: number, id: unknown = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.any(String) },
});

async function start(protocolVersion: string): Promise<ServerProcess> {
  const server = new ServerProcess({
    CORPUS_DIR: await tempFolder(sampleFiles),
    INDEX_DIR: await tempFolder(),
  });
  await server.initialize({ protocolVersion });
  return server;
}

describe('a batch on stdio, in the revision that has them', () => {
  let server: ServerProcess;
  let pings = 0;
  beforeAll(async () => {
    server = await start('2025-03-26');
  });

  /** The lines that answer a batch of quick requests, up to the ping that follows it. */
  async function answersTo(batch: readonly unknown[]): Promise<Wire[]> {
    const before = server.received.length;
    server.send(batch);
    await server.ask('ping', undefined, `after batch ${++pings}`);
    return server.received.slice(before, -1);
  }

  it('is answered in one line, though its replies take different times', async () => {
    const answer = server.next((message) => Array.isArray(message));
    server.send([
      request('slow', 'tools/call', { name: 'search', arguments: { query: 'can I bring a dog' } }),
      notification('notifications/initialized'),
      request('quick'),
      request('unknown', 'no/such/method'),
    ]);
    // Others are not kept waiting.
    expect(await server.ask('ping', undefined, 'meanwhile')).toEqual(pong('meanwhile'));
    const replies = new Map(((await answer) as Wire[]).map((reply) => [reply.id, reply]));
    expect([...replies.keys()].sort()).toEqual(['quick', 'slow', 'unknown']);
    expect(replies.get('slow').result.structuredContent.results[0].source).toBe('pets.txt');
    expect(replies.get('quick')).toEqual(pong('quick'));
    expect(replies.get('unknown')).toEqual(refusal(-32601, 'unknown'));
    expect(server.impure).toEqual([]);
  });

  it('of one request is answered with a list of one', async () => {
    expect(await answersTo([request(1)])).toEqual([[pong(1)]]);
  });

  it('without a request is not answered', async () => {
    const response = { jsonrpc: '2.0', id: 1, result: {} };
    expect(await answersTo([notification('notifications/initialized'), response])).toEqual([]);
  });

  it.each([
    ['that is empty', []],
    ['that is too long', Array.from({ length: 101 }, (_, id) => request(id))],
  ])('%s is refused as a whole', async (_name, batch) => {
    expect(await answersTo(batch)).toEqual([refusal(-32600)]);
  });

  it('gives each of its messages the answer it deserves', async () => {
    const [answer] = await answersTo([
      7,
      { id: 4, method: 'ping' },
      [request(5)],
      request(6),
      request(6),
      request(8, 'initialize', {}),
    ]);
    expect(answer).toHaveLength(6);
    expect(answer).toEqual(
      expect.arrayContaining([
        refusal(-32600),
        refusal(-32600, 4),
        refusal(-32600, 6),
        pong(6),
        refusal(-32600, 8),
      ]),
    );
  });

  it('is complete without a request that was cancelled', async () => {
    const cancelled = { ...notification('notifications/cancelled'), params: { requestId: 'x' } };
    const search = { name: 'search', arguments: { query: 'tea' } };
    expect(await answersTo([request('x', 'tools/call', search), request('y'), cancelled])).toEqual([
      [pong('y')],
    ]);
  });

  it('answers each request once, whatever comes with it', async () => {
    const message = fc.oneof(
      fc.integer({ min: 0, max: 30 }).map((id) => request(id)),
      fc.constant(notification('notifications/initialized')),
      fc.oneof(fc.integer(), fc.constant(null), fc.constant({})),
    );
    const property = fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 60 }), async (batch) => {
      const isNotification = (item: unknown) => JSON.stringify(item).includes('notifications/');
      const wanted = batch.filter((item) => !isNotification(item));
      const answers = await answersTo(batch);
      expect(answers).toHaveLength(wanted.length === 0 ? 0 : 1);
      const ids = (list: readonly Wire[]) => list.map((item) => JSON.stringify(item?.id ?? null)).sort();
      expect(ids(answers[0] ?? [])).toEqual(ids(wanted));
    });
    await fc.assert(property, { numRuns: 50 });
  });
});

it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('revision %s has no batches', async (revision) => {
  const server = await start(revision);
  server.send([request(1)]);
  expect(await server.next(({ id }) => id === null)).toEqual(refusal(-32600));
  expect(await server.end()).toBe(0);
});

it('a batch in flight at the end of input is still answered', async () => {
  const server = await start('2025-03-26');
  const search = { name: 'search', arguments: { query: 'can I bring a dog', top_k: 1 } };
  server.send([request(1), request(2, 'tools/call', search)]);
  expect(await server.end()).toBe(0);
  expect(server.received.at(-1).map(({ id }: Wire) => id)).toEqual([1, 2]);
});
