import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growth, heapAfterCollection } from '../support/heap.js';
import { type FuzzBody, fuzzBody, isNotification, methods, requestId } from './fuzz-bodies.js';
import { type Answer, KeepAliveClient } from './keep-alive-client.js';
import { messages, openSession, post, searchFor, startServer, type TestServer } from './test-server.js';

const minutes = 60_000;
/** The pace is another test's matter. */
const limits = { requestsPerSecond: 1e6, requestBurst: 1e6, bodyBytes: 100_000 };

/** Holds an answer to the rules that every answer keeps. */
function check({ value }: FuzzBody, { status, messages }: Answer): void {
  expect([200, 202, 400, 413]).toContain(status);
  if (isNotification(value)) expect(status).toBe(202);
  if (status === 202) {
    expect(messages).toEqual([]);
    return;
  }
  const wanted = requestId(value);
  const answers = messages.filter((reply) => !('method' in reply));
  for (const reply of answers) {
    expect(reply.jsonrpc).toBe('2.0');
    expect('result' in reply !== 'error' in reply).toBe(true);
    if ('error' in reply)
      expect(reply.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  }
  if (wanted !== undefined) expect(answers.map((reply) => reply.id)).toEqual([wanted]);
  else if (Array.isArray(value) && status === 200) {
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

describe('whatever is posted', () => {
  it(
    'gets one answer that keeps the rules, and the server stays as it was',
    async () => {
      const server = await startServer({ limits });
      const client = new KeepAliveClient(server.url, 8);
      const heaps: number[] = [];
      let sent = 0;
      const revision = fc.constantFrom('2025-11-25', '2025-03-26');
      const bodies = fc.array(fuzzBody, { minLength: 60, maxLength: 120 });
      await fc.assert(
        fc.asyncProperty(revision, bodies, async (revision, bodies) => {
          const session = await openSession(server.url, {}, revision);
          // Eight are on their way at any moment: ids clash, and requests are cancelled while they run.
          const answers = await Promise.all(bodies.map(({ text }) => client.post(text, session)));
          for (const [index, body] of bodies.entries()) check(body, answers[index]!);
          await fetch(server.url, { method: 'DELETE', headers: session });
          sent += bodies.length;
          // Every thousand messages.
          if (sent >= 1000 * (heaps.length + 1)) heaps.push(heapAfterCollection());
        }),
        { numRuns: 160, endOnFailure: true },
      );
      client.close();
      await isAlive(server);
      expect(sent).toBeGreaterThan(12_000);
      // The first thousand fill caches. From then on, what is left after a collection does not grow.
      expect(growth(heaps.slice(1))).toBeLessThan(1.05);
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
