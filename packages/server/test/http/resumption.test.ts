import { describe, expect, it } from 'vitest';
import { EventBudget } from '../../src/http/event-budget.js';
import { BoundedEventStore } from '../../src/http/event-store.js';
import {
  connectClient,
  events,
  messages,
  openSession,
  post,
  type SseEvent,
  searchFor,
  startServer,
} from './test-server.js';

/** Opens the stream that the event belongs to, from there on. */
function resume(url: URL, session: Record<string, string>, lastEventId: string): Promise<Response> {
  return fetch(url, { headers: { ...session, accept: 'text/event-stream', 'last-event-id': lastEventId } });
}

/** Posts a search that waits, and breaks the connection once the first event is there. Gives that event. */
async function searchAndBreak(url: URL, session: Record<string, string>, id: string): Promise<SseEvent> {
  const response = await post(url, searchFor('wait', id), session);
  const stream = events(response);
  const { value } = await stream.next();
  await stream.return(undefined);
  return value!;
}

const reconnectionOptions = {
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 5,
};

describe('a stream that broke', () => {
  it('gives the reply that was made meanwhile, and then ends', async () => {
    const { url, index } = await startServer();
    const session = await openSession(url);
    const primer = await searchAndBreak(url, session, 'a');
    expect(primer.id).toBeDefined();
    await index.untilWaiting(1);
    index.release();
    // Another request, answered later, makes sure that the reply was made.
    await messages(await post(url, searchFor('dog', 'b'), session));
    const resumed = await resume(url, session, primer.id!);
    expect(resumed.headers.get('mcp-session-id')).toBe(session['mcp-session-id']);
    expect(await messages(resumed)).toMatchObject([{ id: 'a', result: { isError: false } }]);
  });

  it('gives the reply that is made later', async () => {
    const { url, index } = await startServer();
    const session = await openSession(url);
    const primer = await searchAndBreak(url, session, 'a');
    const resumed = await resume(url, session, primer.id!);
    expect(resumed.status).toBe(200);
    index.release();
    expect(await messages(resumed)).toMatchObject([{ id: 'a', result: { isError: false } }]);
  });

  it('tells a client that missed nothing not to come back', async () => {
    const { url } = await startServer();
    const session = await openSession(url);
    const all: SseEvent[] = [];
    for await (const event of events(await post(url, searchFor('dog'), session))) all.push(event);
    expect((await resume(url, session, all.at(-1)!.id!)).status).toBe(204);
  });

  it('gives the notifications that came meanwhile, once and in order', async () => {
    const { url, index } = await startServer();
    const session = await openSession(url);
    const subscribe = { uri: 'kettle://documents/faq.txt' };
    await post(url, { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: subscribe }, session);
    await post(
      url,
      { jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params: { level: 'info' } },
      session,
    );
    const first = events(await fetch(url, { headers: { ...session, accept: 'text/event-stream' } }));
    index.change('faq.txt');
    const seen = (await first.next()).value!;
    await first.return(undefined);
    index.change('faq.txt');
    index.change('hours/summer.md');
    const again = events(await resume(url, session, seen.id!));
    const methods = [];
    for (let k = 0; k < 4; k++) methods.push((await again.next()).value!.data.method);
    await again.return(undefined);
    expect(seen.data.method).toBe('notifications/resources/updated');
    expect(methods).toEqual([
      'notifications/message',
      'notifications/resources/updated',
      'notifications/message',
      'notifications/message',
    ]);
  });

  it('is refused for an event that never was, or belongs to another session', async () => {
    const { url } = await startServer();
    const [mine, other] = [await openSession(url), await openSession(url)];
    const ids: string[] = [];
    for await (const { id } of events(await post(url, searchFor('dog'), other))) ids.push(id!);
    for (const id of ['999', 'no-such', ids.at(-1)!]) expect((await resume(url, mine, id)).status).toBe(400);
  });

  it('can come too late: when the events of other open sessions took the room', async () => {
    const probe = await startServer();
    const [reply] = await messages(await post(probe.url, searchFor('dog'), await openSession(probe.url)));
    const size = JSON.stringify(reply).length;
    const { url } = await startServer({ limits: { storedCharactersInAll: 15 * size } });
    const ask = async (session: Record<string, string>, times: number) => {
      for (let k = 0; k < times; k++) await messages(await post(url, searchFor('dog', `${k}`), session));
    };
    const [mine, ended, open] = [await openSession(url), await openSession(url), await openSession(url)];
    const { value } = await events(await post(url, searchFor('dog'), mine)).next();
    await ask(ended, 10);
    await fetch(url, { method: 'DELETE', headers: ended });
    // Room for these, because what ended let go of its own.
    await ask(open, 10);
    expect((await resume(url, mine, value!.id!)).status).toBe(200);
    await ask(open, 10);
    expect((await resume(url, mine, value!.id!)).status).toBe(400);
  });

  it('gives a reply that is larger than all there is room for', async () => {
    const { url, index } = await startServer({ limits: { storedCharacters: 100 } });
    const session = await openSession(url);
    const primer = await searchAndBreak(url, session, 'a');
    await index.untilWaiting(1);
    index.release();
    await messages(await post(url, searchFor('dog', 'b'), await openSession(url)));
    expect(await messages(await resume(url, session, primer.id!))).toMatchObject([{ id: 'a' }]);
  });

  it('is taken up by the SDK client without its user noticing', async () => {
    const { url, index } = await startServer();
    const cut = new Set<AbortController>();
    const breakable: typeof fetch = (input, init) => {
      const controller = new AbortController();
      if (init?.method === 'POST') cut.add(controller);
      const signals = [controller.signal, ...(init?.signal ? [init.signal] : [])];
      return fetch(input, { ...init, signal: AbortSignal.any(signals) });
    };
    const { client } = await connectClient(url, { fetch: breakable as never, reconnectionOptions });
    let reports = 0;
    const answer = client.callTool({ name: 'search', arguments: { query: 'wait' } }, undefined, {
      onprogress: () => {
        reports += 1;
        for (const controller of cut) controller.abort();
        index.release();
      },
    });
    expect(await answer).toMatchObject({ isError: false });
    expect(reports).toBe(1);
  });

  it('after an error does not make the SDK client come back for ever', async () => {
    const { url } = await startServer();
    let gets = 0;
    const counting: typeof fetch = (input, init) => {
      if (init?.method === 'GET') gets += 1;
      return fetch(input, init);
    };
    const { client } = await connectClient(url, { fetch: counting as never, reconnectionOptions });
    await expect(client.getPrompt({ name: 'no-such' })).rejects.toThrow();
    for (let k = 0; k < 50; k++) await client.ping();
    // Its own stream, and one look for what it may have missed.
    expect(gets).toBeLessThanOrEqual(2);
  });
});

describe('the event store', () => {
  const message = (text: string) => ({ jsonrpc: '2.0' as const, method: 'm', params: { text } });
  const ample = () => new EventBudget(1e9);

  it('lets the oldest go, by number and by size, and always keeps the newest', async () => {
    const byNumber = new BoundedEventStore(2, 1e6, ample());
    const ids = [];
    for (const text of ['a', 'b', 'c']) ids.push(await byNumber.storeEvent('s', message(text)));
    expect(ids.map((id) => byNumber.has(id))).toEqual([false, true, true]);

    const bySize = new BoundedEventStore(100, 200, ample());
    const small = await bySize.storeEvent('s', message('a'));
    const large = await bySize.storeEvent('s', message('x'.repeat(1000)));
    expect([bySize.has(small), bySize.has(large)]).toEqual([false, true]);
  });

  it('lets the oldest of all sessions go where all together are too large', async () => {
    const budget = new EventBudget(3000);
    const [vanished, live, closed] = [0, 1, 2].map(() => new BoundedEventStore(100, 1e6, budget));
    const large = message('x'.repeat(900));
    const old = await vanished!.storeEvent('s', large);
    const gone = await closed!.storeEvent('s', large);
    const mine = await live!.storeEvent('s', large);
    expect([vanished!.has(old), live!.has(mine)]).toEqual([true, true]);
    // What a closed session had is room for others.
    closed!.clear();
    const next = await live!.storeEvent('s', large);
    expect([vanished!.has(old), closed!.has(gone), live!.has(next)]).toEqual([true, false, true]);
    const last = await live!.storeEvent('s', large);
    expect([vanished!.has(old), live!.has(mine), live!.has(last)]).toEqual([false, true, true]);
  });

  it('keeps what a client needs to take up a stream whose reply is larger than all there is room for', async () => {
    const store = new BoundedEventStore(100, 200, ample());
    const other = await store.storeEvent('other', message('a'));
    const priming = await store.storeEvent('s', {} as never);
    const waiting = await store.storeEvent('waiting', {} as never);
    await store.storeEvent('s', message('x'.repeat(1000)));
    expect(store.eventsAfter(priming).map((event) => event.message)).toEqual([message('x'.repeat(1000))]);
    expect([store.has(other), store.has(waiting)]).toEqual([false, true]);
  });

  it('lets a stream be taken up only where nothing after that event is gone', async () => {
    const store = new BoundedEventStore(100, 1500, ample());
    const priming = await store.storeEvent('s', {} as never);
    const first = await store.storeEvent('s', message('x'.repeat(900)));
    const second = await store.storeEvent('s', message('y'.repeat(900)));
    expect([priming, first, second].map((id) => store.has(id))).toEqual([false, false, true]);
  });

  it('keeps streams apart', async () => {
    const store = new BoundedEventStore(100, 1e6, ample());
    const first = await store.storeEvent('s', message('a'));
    await store.storeEvent('t', message('b'));
    await store.storeEvent('s', message('c'));
    const sent: unknown[] = [];
    const send = async (_: string, event: unknown) => void sent.push(event);
    expect(await store.replayEventsAfter(first, { send })).toBe('s');
    expect(sent).toEqual([message('c')]);
  });
});
