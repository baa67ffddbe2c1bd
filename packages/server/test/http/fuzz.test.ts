import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messages, openSession, post, searchFor, startServer, type TestServer } from './test-server.js';

const minutes = 60_000;
/** The pace is another test's matter. */
const limits = { requestsPerSecond: 1e6, requestBurst: 1e6, bodyBytes: 100_000 };

const methods = [
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'toString',
  '__proto__',
  '',
];
const tools = ['search', 'list_documents', 'get_document', 'constructor', ''];

const id = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 50 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }) },
  fc.constantFrom(null, 1.5, 2 ** 60, true, [], {}, '__proto__'),
);
const params = fc.oneof(
  fc.record({
    name: fc.constantFrom(...tools),
    arguments: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
  }),
  fc.record({
    name: fc.constant('search'),
    arguments: fc.record({ query: fc.string(), top_k: fc.integer() }),
  }),
  fc.record({ uri: fc.oneof(fc.webUrl(), fc.string(), fc.constant('kettle://documents/faq.txt')) }),
  fc.record({ requestId: id, progressToken: fc.jsonValue(), _meta: fc.jsonValue() }, { requiredKeys: [] }),
  fc.record(
    { level: fc.constantFrom('debug', 'emergency', 'loud'), cursor: fc.jsonValue() },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 20, arbitrary: fc.constant('2.0') }, fc.constantFrom('1.0', 2, null)),
    id,
    method: fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...methods) }, fc.string(), fc.jsonValue()),
    params,
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: ['jsonrpc'] },
);
/** What is sent as one body, and what it was made from, where it was made from a message. */
const body = fc.oneof(
  {
    weight: 8,
    arbitrary: message.map((value) => ({ value: value as unknown, text: JSON.stringify(value) })),
  },
  fc.jsonValue().map((value) => ({ value: value as unknown, text: JSON.stringify(value) })),
  fc
    .array(message, { maxLength: 5 })
    .map((value) => ({ value: value as unknown, text: JSON.stringify(value) })),
  message.map((value) => ({ value: undefined, text: JSON.stringify(value).slice(0, -1) })),
  fc.uint8Array({ maxLength: 50 }).map((bytes) => ({ value: undefined, text: Buffer.from(bytes) })),
  fc.integer({ min: 1, max: 15_000 }).map((depth) => ({ value: undefined, text: '['.repeat(depth) })),
  fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom(...methods)).map(([depth, method]) => {
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const call = `{"name":"search","arguments":${deep},"uri":${deep}}`;
    return {
      value: { jsonrpc: '2.0', id: 1, method, params: {} },
      text: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${depth % 2 ? call : deep}}`,
    };
  }),
  fc.constant({
    value: undefined,
    text: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${'x'.repeat(100_001)}"}}`,
  }),
);

/** JSON-RPC's own idea of a request that can be answered by id. */
function requestId(value: unknown): string | number | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { jsonrpc, id, method, params = {} } = value as Record<string, unknown>;
  const isRequest =
    jsonrpc === '2.0' && typeof method === 'string' && typeof params === 'object' && params !== null;
  const hasId = typeof id === 'string' || Number.isSafeInteger(id);
  return isRequest && hasId && !Array.isArray(params) ? (id as string | number) : undefined;
}

/** Posts one body and holds the answer to the rules that every answer keeps. */
async function postAndCheck(
  url: URL,
  session: Record<string, string>,
  { value, text }: { value: unknown; text: unknown },
) {
  const response = await post(url, text, session);
  const replies = await messages(response);
  expect([200, 202, 400, 413]).toContain(response.status);
  if (response.status === 202) return expect(replies).toEqual([]);
  const wanted = requestId(value);
  const answers = replies.filter((reply) => !('method' in reply));
  for (const reply of answers) {
    expect(reply.jsonrpc).toBe('2.0');
    expect('result' in reply !== 'error' in reply).toBe(true);
    if ('error' in reply)
      expect(reply.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  }
  if (wanted !== undefined) expect(answers.map((reply) => reply.id)).toEqual([wanted]);
  else if (Array.isArray(value) && response.status === 200) {
    const ids = value.map(requestId).filter((one) => one !== undefined);
    expect(answers.map((reply) => reply.id).sort()).toEqual(ids.sort());
  } else {
    expect(answers).toHaveLength(1);
    expect(answers[0]).toHaveProperty('error');
  }
}

async function isAlive({ url, logged, service }: TestServer): Promise<void> {
  const session = await openSession(url);
  expect(await messages(await post(url, searchFor('dog'), session))).toMatchObject([{ id: 1, result: {} }]);
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  await fetch(url, { method: 'DELETE', headers: session });
  expect(service.sessions).toBe(0);
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('whatever is posted', () => {
  it(
    'gets one answer that keeps the rules, and the server stays as it was',
    async () => {
      const server = await startServer({ limits });
      const heaps: number[] = [];
      await fc.assert(
        fc.asyncProperty(fc.array(body, { minLength: 20, maxLength: 60 }), async (bodies) => {
          const session = await openSession(server.url);
          for (const one of bodies) await postAndCheck(server.url, session, one);
          await fetch(server.url, { method: 'DELETE', headers: session });
          heaps.push(heapAfterCollection());
        }),
        { numRuns: 80, endOnFailure: true },
      );
      await isAlive(server);
      // The first runs warm caches up. From then on memory may move, not grow.
      expect(heaps.at(-1)! - heaps[20]!).toBeLessThan(12e6);
    },
    5 * minutes,
  );

  it(
    'in one batch is answered request by request, each once',
    async () => {
      const server = await startServer({ limits });
      const requests = fc.uniqueArray(fc.oneof(fc.integer(), fc.string({ maxLength: 8 })), {
        minLength: 1,
        maxLength: 90,
      });
      const method = fc.constantFrom(
        ...methods.filter((name) => name !== 'initialize' && name !== 'notifications/cancelled'),
      );
      const batch = requests.chain((ids) =>
        fc.tuple(
          fc.constant(ids),
          fc.array(
            fc.record({
              method,
              params: fc.dictionary(fc.constantFrom('name', 'uri', 'level'), fc.jsonValue()),
            }),
            {
              minLength: ids.length,
              maxLength: ids.length,
            },
          ),
        ),
      );
      await fc.assert(
        fc.asyncProperty(batch, async ([ids, calls]) => {
          const session = await openSession(server.url, {}, '2025-03-26');
          const sent = calls.map((call, index) => ({ jsonrpc: '2.0', id: ids[index], ...call }));
          const silent = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
          const replies = await messages(await post(server.url, [silent, ...sent, silent], session));
          expect(new Set(replies.map((reply) => reply.id))).toEqual(new Set(ids));
          expect(replies).toHaveLength(ids.length);
          await fetch(server.url, { method: 'DELETE', headers: session });
        }),
        { numRuns: 150, endOnFailure: true },
      );
      await isAlive(server);
    },
    5 * minutes,
  );

  it(
    'at once, with ids that clash and are cancelled, gets one answer for each request',
    async () => {
      const server = await startServer({ limits });
      const call = fc.record({
        id: fc.integer({ min: 1, max: 8 }),
        query: fc.constantFrom('dog', 'wait'),
        cancel: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 30 }), async (calls) => {
          const session = await openSession(server.url);
          const answered = Promise.all(
            calls.map(async ({ id, query, cancel }) => {
              const response = post(server.url, searchFor(query, id), session);
              if (cancel) {
                const params = { requestId: id };
                await post(
                  server.url,
                  { jsonrpc: '2.0', method: 'notifications/cancelled', params },
                  session,
                );
              }
              return messages(await response);
            }),
          );
          const done = answered.then(() => true);
          // Those that wait are let go until all are answered: a request without an answer would hang here.
          while (!(await Promise.race([done, new Promise((resolve) => setImmediate(resolve, false))])))
            server.index.release();
          const replies = await answered;
          expect(replies.map((all) => all.map(({ id }) => id))).toEqual(calls.map(({ id }) => [id]));
          await fetch(server.url, { method: 'DELETE', headers: session });
        }),
        { numRuns: 60, endOnFailure: true },
      );
      await isAlive(server);
    },
    5 * minutes,
  );
});
