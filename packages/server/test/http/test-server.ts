import { EventEmitter, once } from 'node:events';
import { type RequestOptions, request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach } from 'vitest';
import type { App, ChangeListener } from '../../src/app.js';
import { readConfig } from '../../src/config/config.js';
import { HttpService } from '../../src/http/http-service.js';
import type { HttpLimits } from '../../src/http/limits.js';
import type { Method } from '../../src/mcp/method.js';
import { createMcpServer } from '../../src/mcp/server.js';
import { FakeIndex } from './fake-index.js';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly data: unknown;
}

export interface TestServer {
  readonly service: HttpService;
  readonly url: URL;
  readonly index: FakeIndex;
  readonly logged: LogLine[];
  /** Resolves when a line with this text is logged. */
  untilLogged(text: string): Promise<void>;
}

export interface TestServerOptions {
  readonly env?: Record<string, string>;
  readonly limits?: Partial<HttpLimits>;
  readonly now?: () => number;
  /** What it serves. @default what Kettle serves */
  readonly methods?: ReadonlyMap<string, Method>;
}

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

/** Has `thing` closed after the test. */
export function closeLater<T extends { close(): Promise<unknown> }>(thing: T): T {
  opened.push(thing);
  return thing;
}

/** A server on a free port of the loopback, with an index that needs no model. Ended after the test. */
export async function startServer({ env, methods, ...options }: TestServerOptions = {}): Promise<TestServer> {
  const config = readConfig({ MCP_TRANSPORT: 'http', PORT: '0', ...env });
  const index = new FakeIndex();
  const logged: LogLine[] = [];
  const lines = new EventEmitter();
  const app: App = {
    config,
    version: '0.0.0',
    log: (level, message, data) => {
      logged.push({ level, message, data });
      lines.emit('line');
    },
    corpus: { name: 'Test', description: 'Two documents', directory: '/nowhere/secret', id: 'test' },
    index: async () => index,
    onChange: (listener: ChangeListener) => index.onChange((change) => listener(change, false)),
    close: () => index.close(),
  };
  const untilLogged = async (text: string) => {
    while (!logged.some(({ message }) => message.includes(text))) await once(lines, 'line');
  };
  const service = closeLater(
    new HttpService(app, { ...options, createServer: () => createMcpServer(app, methods) }),
  );
  await service.listen();
  return { service, url: new URL(service.url), index, logged, untilLogged };
}

/** The SDK's client, connected. */
export async function connectClient(
  url: URL,
  options?: ConstructorParameters<typeof StreamableHTTPClientTransport>[1],
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = closeLater(new Client({ name: 'test', version: '0.0.0' }));
  const transport = new StreamableHTTPClientTransport(url, options);
  await client.connect(transport as unknown as Transport);
  return { client, transport };
}

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Posts a body as it is, with the headers that MCP wants unless others are given. */
export function post(url: URL, body: unknown, extra: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', headers: { ...headers, ...extra }, body: text });
}

export const initialize = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '0.0.0' },
  },
};

/** Opens a session by hand, in a revision of the protocol. Gives the headers that its requests need. */
export async function openSession(
  url: URL,
  extra: Record<string, string> = {},
  protocolVersion = '2025-11-25',
): Promise<Record<string, string>> {
  const params = { ...initialize.params, protocolVersion };
  const response = await post(url, { ...initialize, params }, extra);
  const id = response.headers.get('mcp-session-id');
  if (response.status !== 200 || id === null)
    throw new Error(`initialize: ${response.status} ${await response.text()}`);
  await response.text();
  return { ...extra, 'mcp-session-id': id, 'mcp-protocol-version': protocolVersion };
}

/**
 * Opens a session by hand, from an address or with a Host header that `fetch` would not give. Gives the status and the
 * headers that requests of the session need.
 */
export function initializeWith(
  url: URL,
  { headers: extra, ...options }: RequestOptions,
): Promise<{ status: number | undefined; session: Record<string, string> }> {
  return new Promise((resolve, reject) => {
    request(url, { ...options, method: 'POST', headers: { ...headers, ...extra } }, (response) => {
      const session = {
        'mcp-session-id': String(response.headers['mcp-session-id']),
        'mcp-protocol-version': initialize.params.protocolVersion,
      };
      response.resume().on('end', () => resolve({ status: response.statusCode, session }));
    })
      .on('error', reject)
      .end(JSON.stringify(initialize));
  });
}

/** One event of an event stream. */
export interface SseEvent {
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server answers, for a test to look into
  readonly data?: any;
}

/** Reads an event stream as it comes. Comments and events without data are left out. */
export async function* events(response: Response): AsyncGenerator<SseEvent> {
  let rest = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s) as [string, string]));
      const data = fields.get('data');
      const id = fields.get('id');
      if (data !== undefined)
        yield { ...(id !== undefined && { id }), ...(data !== '' && { data: JSON.parse(data) }) };
    }
  }
}

/** The JSON-RPC messages that a POST was answered with, as JSON or as events. */
// biome-ignore lint/suspicious/noExplicitAny: the same
export async function messages(response: Response): Promise<any[]> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const all = [];
    for await (const { data } of events(response)) if (data !== undefined) all.push(data);
    return all;
  }
  const text = await response.text();
  return text === '' ? [] : [JSON.parse(text)].flat();
}

/** A request to call `search`. */
export function searchFor(query: string, id: string | number = 1, meta?: object) {
  return {
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'search', arguments: { query, top_k: 1 }, ...(meta && { _meta: meta }) },
  };
}
