import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import {
  connectClient,
  events,
  initialize,
  initializeWith,
  messages,
  openSession,
  post,
  searchFor,
  startServer,
} from './test-server.js';

const token = 'correct-horse';

/** The status of a POST of `initialize` whose Host header is anything; fetch would write its own. */
async function statusWithHost(url: URL, host: string): Promise<number | undefined> {
  return (await initializeWith(url, { headers: { host } })).status;
}

describe('the bearer token', () => {
  it('lets in who has it, and nobody else', async () => {
    const { url } = await startServer({ env: { MCP_AUTH_TOKEN: token } });
    const guesses = [
      undefined,
      '',
      `Bearer ${token}x`,
      `Bearer x${token}`,
      'Bearer',
      `Basic ${token}`,
      token,
    ];
    for (const authorization of guesses) {
      const response = await post(url, initialize, authorization === undefined ? {} : { authorization });
      expect([authorization, response.status]).toEqual([authorization, 401]);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="kettle"');
      expect(await response.text()).not.toContain(token);
    }
    const session = await openSession(url, { authorization: `Bearer ${token}` });
    expect(await messages(await post(url, searchFor('dog'), session))).toMatchObject([{ id: 1, result: {} }]);
  });

  it('is asked for with every request, whoever knows the id of a session', async () => {
    const { url, service } = await startServer({ env: { MCP_AUTH_TOKEN: token } });
    const { authorization: _, ...session } = await openSession(url, { authorization: `Bearer ${token}` });
    expect((await post(url, searchFor('dog'), session)).status).toBe(401);
    expect((await fetch(url, { headers: { ...session, accept: 'text/event-stream' } })).status).toBe(401);
    expect((await fetch(url, { method: 'DELETE', headers: session })).status).toBe(401);
    expect(service.sessions).toBe(1);
  });

  it('works with the SDK client', async () => {
    const { url } = await startServer({ env: { MCP_AUTH_TOKEN: token } });
    const headers = { authorization: `bearer ${token}` };
    const { client } = await connectClient(url, { requestInit: { headers } });
    expect((await client.listTools()).tools).toHaveLength(3);
  });

  it('is no part of the questions about health', async () => {
    const { url } = await startServer({ env: { MCP_AUTH_TOKEN: token } });
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
    expect((await fetch(new URL('/readyz', url))).status).toBe(200);
  });
});

describe('Host', () => {
  it('must name this machine when the server listens on the loopback', async () => {
    const { url } = await startServer();
    for (const host of [
      `127.0.0.1:${url.port}`,
      'localhost',
      'LOCALHOST:1',
      'localhost.',
      'localhost.:80',
      '[::1]:8080',
      '127.0.0.2',
    ])
      expect([host, await statusWithHost(url, host)]).toEqual([host, 200]);
    for (const host of [
      'evil.example.com',
      `evil.example.com:${url.port}`,
      'localhost.evil.example.com',
      'localhost..',
      '.',
      '127.0.0.1.evil.example.com',
      'localhost:80@evil.example.com',
      '192.168.1.5',
    ])
      expect([host, await statusWithHost(url, host)]).toEqual([host, 403]);
  });

  it('may be another name that is allowed, with any port or with one', async () => {
    const { url } = await startServer({
      env: { MCP_ALLOWED_HOSTS: 'kettle.example.com, Other.example.com:8443' },
    });
    expect(await statusWithHost(url, 'Kettle.example.com:3000')).toBe(200);
    expect(await statusWithHost(url, 'kettle.example.com.')).toBe(200);
    expect(await statusWithHost(url, 'other.example.com:8443')).toBe(200);
    expect(await statusWithHost(url, 'other.example.com:8444')).toBe(403);
    expect(await statusWithHost(url, 'third.example.com')).toBe(403);
  });

  it('may be any address, or the name of this machine, when the server listens beyond the loopback', async () => {
    const { url } = await startServer({ env: { HOST: '0.0.0.0', MCP_AUTH_TOKEN: token } });
    const local = new URL(`http://127.0.0.1:${url.port}/mcp`);
    for (const host of ['192.168.1.5:3000', '[2001:db8::1]', 'localhost', hostname()])
      expect([host, await statusWithHost(local, host)]).toEqual([host, 401]);
    expect(await statusWithHost(local, 'evil.example.com')).toBe(403);
  });
});

describe('Origin', () => {
  it('is a page of this machine, or one that is allowed', async () => {
    const allowed = 'https://chat.example.com/, https://own.example.com:443, chrome-extension://abcdef';
    const { url } = await startServer({ env: { MCP_ALLOWED_ORIGINS: allowed } });
    for (const origin of [
      'http://localhost:5173',
      'http://127.0.0.1',
      'http://[::1]:80',
      'https://chat.example.com',
      'https://chat.example.com:443',
      'https://own.example.com',
      'chrome-extension://abcdef',
    ])
      expect([origin, (await post(url, initialize, { origin })).status]).toEqual([origin, 200]);
    for (const origin of [
      'null',
      'https://evil.example.com',
      'http://chat.example.com',
      'https://chat.example.com:8443',
      'http://localhost.evil.example.com',
      'localhost',
      // Whoever makes an extension, or registers a scheme, chooses these.
      'chrome-extension://localhost',
      'chrome-extension://abcdefg',
      'app://127.0.0.1',
    ])
      expect([origin, (await post(url, initialize, { origin })).status]).toEqual([origin, 403]);
  });

  it('that may come in may also read the answers', async () => {
    const { url } = await startServer();
    const origin = 'http://localhost:5173';
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'mcp-session-id',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-session-id');
    const opened = await post(url, initialize, { origin });
    expect(opened.headers.get('access-control-allow-origin')).toBe(origin);
    expect(opened.headers.get('access-control-expose-headers')).toBe('mcp-session-id');
    const refused = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://evil.example.com' } });
    expect(refused.status).toBe(403);
    expect(refused.headers.has('access-control-allow-origin')).toBe(false);
  });
});

describe('what a client learns', () => {
  it('is nothing about the inside, whatever it sends', async () => {
    const { url, index, logged } = await startServer();
    const session = await openSession(url);
    index.getDocument = async () => {
      throw new Error('EACCES: permission denied, open /nowhere/secret/faq.txt');
    };
    index.listDocuments = async () => {
      throw new TypeError("Cannot read properties of undefined (reading 'x') at /nowhere/secret/index.js:1");
    };
    const call = (name: string, args: object) =>
      post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }, session);
    const answers = [
      await call('get_document', { name: 'faq.txt' }),
      await call('list_documents', {}),
      await call('get_document', { name: '../../etc/passwd' }),
      await post(url, { jsonrpc: '2.0', id: 1, method: 'resources/list' }, session),
      await post(
        url,
        { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'file:///etc/passwd' } },
        session,
      ),
      await post(url, '{"jsonrpc":', session),
      await post(url, { jsonrpc: '2.0', id: 1, method: 7 }, session),
      await fetch(new URL('/../../etc/passwd', url)),
      await fetch(new URL('/mcp/%2e%2e/x', url)),
    ];
    for (const answer of answers) {
      const text = await answer.text();
      expect(text).not.toBe('');
      expect(text).not.toMatch(/nowhere|EACCES|TypeError|undefined|node_modules|\bat \/|zod|stack/i);
    }
    // The log is where the reason is.
    expect(logged.filter(({ level }) => level === 'error').length).toBeGreaterThan(0);
  });
});

it('tells nothing of internals where the SDK fails at what it is given', async () => {
  const { url } = await startServer();
  const session = await openSession(url);
  const deep = `${'{"a":'.repeat(4_500)}1${'}'.repeat(4_500)}`;
  const answered = await post(url, `{"jsonrpc":"2.0","id":1,"result":${deep}}`, session);
  expect([answered.status, await answered.text()]).toEqual([202, '']);
  for (const host of ['127.999.1.1', '127.0.0.1:', '127.0.0.1:99999', 'localhost:x'])
    expect([host, await statusWithHost(url, host)]).toEqual([host, 403]);
});

it('keeps each session to the level of logging that it asked for', async () => {
  const { url, index } = await startServer();
  const [loud, quiet] = [await openSession(url), await openSession(url)];
  const setLevel = (level: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'logging/setLevel',
    params: { level },
  });
  await messages(await post(url, setLevel('info'), loud));
  await messages(await post(url, setLevel('emergency'), quiet));
  const listen = async (session: Record<string, string>) =>
    events(await fetch(url, { headers: { ...session, accept: 'text/event-stream' } }));
  const [hears, hearsNot] = [await listen(loud), await listen(quiet)];
  const subscribe = {
    jsonrpc: '2.0',
    id: 2,
    method: 'resources/subscribe',
    params: { uri: 'kettle://documents/faq.txt' },
  };
  await messages(await post(url, subscribe, quiet));
  index.change('hours/summer.md');
  index.change('faq.txt');
  expect((await hears.next()).value?.data).toMatchObject({ method: 'notifications/message' });
  // Its first, though the other's came before.
  expect((await hearsNot.next()).value?.data).toMatchObject({ method: 'notifications/resources/updated' });
  await Promise.all([hears.return(undefined), hearsNot.return(undefined)]);
});
