import { describe, expect, it } from 'vitest';
import {
  connectClient,
  initialize,
  messages,
  openSession,
  post,
  searchFor,
  startServer,
} from './test-server.js';

function promptFor(question: string) {
  const params = { name: 'answer_from_documents', arguments: { question }, _meta: { progressToken: 'p' } };
  return { jsonrpc: '2.0', method: 'prompts/get', params };
}

describe('a session', () => {
  it('serves the SDK client: tools, resources, documents', async () => {
    const { url } = await startServer();
    const { client, transport } = await connectClient(url);
    expect(client.getServerVersion()?.name).toBe('rag-search-server');
    expect(transport.sessionId).toMatch(/^[\w-]{36}$/);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search', 'list_documents', 'get_document']);
    const answer = await client.callTool({ name: 'search', arguments: { query: 'dog', top_k: 1 } });
    expect(answer.content).toMatchObject([
      {
        type: 'text',
        text: '[1] source: faq.txt (distance: 0.21)\npassage: \nDogs are welcome on the terrace.',
      },
      { type: 'resource_link', name: 'faq.txt' },
    ]);
    const { contents } = await client.readResource({ uri: 'kettle://documents/faq.txt' });
    expect(contents).toMatchObject([{ text: 'Dogs are welcome on the terrace.' }]);
  });

  it('is told of changes on its own stream, and lets go of the index when it ends', async () => {
    const { url, index } = await startServer();
    const { client, transport } = await connectClient(url);
    const updated = new Promise((resolve) => {
      client.fallbackNotificationHandler = async (notification) => resolve(notification);
    });
    await client.subscribeResource({ uri: 'kettle://documents/faq.txt' });
    index.change('faq.txt');
    expect(await updated).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'kettle://documents/faq.txt' },
    });
    await transport.terminateSession();
    expect(index.listeners).toBe(0);
  });

  it('ends with DELETE; from then on its id is unknown', async () => {
    const { url, service } = await startServer();
    const session = await openSession(url);
    expect(service.sessions).toBe(1);
    expect((await fetch(url, { method: 'DELETE', headers: session })).status).toBe(200);
    expect(service.sessions).toBe(0);
    const gone = await post(url, searchFor('dog', 7), session);
    expect(gone.status).toBe(404);
    expect(await gone.json()).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32001, message: 'Session not found' },
    });
    for (const method of ['GET', 'DELETE']) {
      const headers = { ...session, accept: 'text/event-stream' };
      expect((await fetch(url, { method, headers })).status).toBe(404);
    }
  });

  it('is one of many: fifty clients at once, each with the replies to its own requests', async () => {
    const { url, service } = await startServer();
    const clients = await Promise.all(Array.from({ length: 50 }, () => connectClient(url)));
    expect(service.sessions).toBe(50);
    const answers = await Promise.all(
      clients.flatMap(({ client }) =>
        Array.from({ length: 5 }, (_, k) =>
          client.callTool({ name: 'search', arguments: { query: 'dog', top_k: (k % 2) + 1 } }),
        ),
      ),
    );
    const counts = answers.map(
      ({ structuredContent }) => (structuredContent as { results: [] }).results.length,
    );
    expect(counts).toEqual(Array.from({ length: 250 }, (_, k) => ((k % 5) % 2) + 1));
    await Promise.all(clients.map(({ transport }) => transport.terminateSession()));
    expect(service.sessions).toBe(0);
  });

  it('answers requests as they finish, matched by id', async () => {
    const { url, index } = await startServer();
    const session = await openSession(url);
    const slow = post(url, searchFor('wait', 'slow'), session);
    await index.untilWaiting(1);
    const fast = await messages(await post(url, searchFor('dog', 'fast'), session));
    expect(fast.map(({ id }) => id)).toEqual(['fast']);
    index.release();
    expect((await messages(await slow)).map(({ id }) => id)).toEqual(['slow']);
  });

  it('takes batches, as revision 2025-03-26 has them', async () => {
    const { url } = await startServer();
    const session = await openSession(url, {}, '2025-03-26');
    const batch = [
      searchFor('dog', 1),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'no/such' },
    ];
    const replies = await messages(await post(url, batch, session));
    expect(replies.map(({ id }) => id).sort()).toEqual([1, 2]);
    expect(replies.find(({ id }) => id === 2).error.code).toBe(-32601);
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('takes no batches in revision %s', async (revision) => {
    const { url, index } = await startServer();
    const session = await openSession(url, {}, revision);
    const asked = [searchFor('wait', 1), searchFor('wait', 2)];
    // What counts is the revision that was agreed on, whatever a later header says.
    for (const headers of [session, { ...session, 'mcp-protocol-version': '2025-03-26' }]) {
      const refused = await post(url, asked, headers);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ id: null, error: { code: -32600 } });
    }
    // Nothing of it was begun: its ids are free.
    expect((await messages(await post(url, searchFor('dog', 1), session)))[0]).toMatchObject({ id: 1 });
    expect(index.waiting).toBe(0);
  });

  it('takes no batches before a revision is agreed on', async () => {
    const { url } = await startServer();
    const refused = await post(url, [{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it('reports progress on the stream of the request that asked for it', async () => {
    const { url, index } = await startServer();
    const session = await openSession(url);
    const response = post(url, searchFor('wait', 1, { progressToken: 'p' }), session);
    await index.untilWaiting(1);
    index.release();
    expect(await messages(await response)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', message: 'embedding' } },
      { id: 1, result: { isError: false } },
    ]);
  });

  it('stops the work of a cancelled request, and ends its stream', async () => {
    const { url, index, service } = await startServer();
    const session = await openSession(url);
    const response = post(url, searchFor('wait', 'a'), session);
    await index.untilWaiting(1);
    const cancel = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'a', reason: 'bored' },
    };
    expect((await post(url, cancel, session)).status).toBe(202);
    expect(await messages(await response)).toMatchObject([{ id: 'a', error: { code: -32800 } }]);
    expect(index.cancelled).toBe(1);
    // Cancelling what is done, or never was, changes nothing; and the id is free again.
    expect((await post(url, cancel, session)).status).toBe(202);
    expect(await messages(await post(url, searchFor('dog', 'a'), session))).toMatchObject([
      { id: 'a', result: {} },
    ]);
    expect(service.sessions).toBe(1);
  });

  it('reports progress of a prompt too', async () => {
    const { url, index } = await startServer();
    const session = await openSession(url);
    const response = post(url, { ...promptFor('wait'), id: 1 }, session);
    await index.untilWaiting(1);
    index.release();
    expect(await messages(await response)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', message: 'embedding' } },
      { id: 1, result: { messages: [{ role: 'user' }] } },
    ]);
  });

  it.each([
    ['a prompt', promptFor('wait')],
    [
      'a resource',
      { jsonrpc: '2.0', method: 'resources/read', params: { uri: 'kettle://documents/wait.txt' } },
    ],
  ])('stops the work for %s that is cancelled', async (_, request) => {
    const { url, index } = await startServer();
    const session = await openSession(url);
    const response = post(url, { ...request, id: 'a' }, session);
    await index.untilWaiting(1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } };
    expect((await post(url, cancel, session)).status).toBe(202);
    expect((await messages(await response)).at(-1)).toMatchObject({ id: 'a', error: { code: -32800 } });
    expect(index.cancelled).toBe(1);
  });

  it.each([
    ['2024-11-05', false],
    ['2025-03-26', false],
    ['2025-06-18', true],
    ['2025-11-25', true],
  ])('of revision %s gets links to the documents: %s', async (revision, links) => {
    const { url } = await startServer();
    const session = await openSession(url, {}, revision);
    const [reply] = await messages(await post(url, searchFor('dog'), session));
    const types = reply.result.content.map(({ type }: { type: string }) => type);
    expect(types).toEqual(links ? ['text', 'resource_link'] : ['text']);
  });

  it('is not opened twice', async () => {
    const { url } = await startServer();
    const session = await openSession(url);
    const again = await post(url, initialize, session);
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({ id: 'init', error: { code: -32600 } });
    expect(await messages(await post(url, searchFor('dog'), session))).toMatchObject([{ id: 1, result: {} }]);
  });

  it('has one GET stream at a time', async () => {
    const { url } = await startServer();
    const headers = { ...(await openSession(url)), accept: 'text/event-stream' };
    const first = await fetch(url, { headers });
    expect(first.status).toBe(200);
    expect((await fetch(url, { headers })).status).toBe(409);
    await first.body!.cancel();
  });
});

describe('without a session', () => {
  it('only ping is served; any other request gets what stdio gives it', async () => {
    const { url } = await startServer();
    const ping = await post(url, { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect([ping.status, await ping.json()]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
    for (const method of ['tools/list', 'tools/call', 'resources/list', 'no/such', 'toString']) {
      const response = await post(url, { jsonrpc: '2.0', id: 'x', method });
      expect(response.status).toBe(400);
      expect(await response.text()).toBe(
        '{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"Invalid request parameters","data":""}}',
      );
    }
  });

  it('notifications, GET and DELETE are refused', async () => {
    const { url } = await startServer();
    expect((await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(400);
    for (const method of ['GET', 'DELETE']) {
      expect((await fetch(url, { method, headers: { accept: 'text/event-stream' } })).status).toBe(400);
    }
    expect((await fetch(url, { method: 'PUT', body: '{}' })).status).toBe(405);
  });

  it.each([
    ['no parameters', { ...initialize, params: undefined }],
    ['no client', { ...initialize, params: { protocolVersion: '2025-06-18', capabilities: {} } }],
    ['a version that is no text', { ...initialize, params: { ...initialize.params, protocolVersion: 1 } }],
  ])('initialize with %s opens none', async (_, body) => {
    const { url, service } = await startServer();
    const response = await post(url, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: 'init', error: { code: -32602 } });
    expect(service.sessions).toBe(0);
  });

  it('initialize in a batch opens none', async () => {
    const { url, service } = await startServer();
    const response = await post(url, [initialize, { jsonrpc: '2.0', id: 2, method: 'ping' }]);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: 'init', error: { code: -32600 } });
    expect(service.sessions).toBe(0);
  });

  it('initialize with headers that the transport refuses opens none', async () => {
    const { url, service } = await startServer();
    expect((await post(url, initialize, { accept: 'text/html' })).status).toBe(406);
    expect((await post(url, initialize, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(service.sessions).toBe(0);
  });

  it('an unknown protocol version is answered with the newest, and refused as a header', async () => {
    const { url } = await startServer();
    const odd = { ...initialize, params: { ...initialize.params, protocolVersion: '1999-12-31' } };
    const [reply] = await messages(await post(url, odd));
    expect(reply.result.protocolVersion).toBe('2025-11-25');
    const session = await openSession(url);
    const refused = await post(url, searchFor('dog'), { ...session, 'mcp-protocol-version': '1999-12-31' });
    expect(refused.status).toBe(400);
    const { 'mcp-protocol-version': _, ...older } = session;
    expect((await post(url, searchFor('dog'), older)).status).toBe(200);
  });
});
