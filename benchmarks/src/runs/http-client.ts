import type { McpClient } from './mcp-client.js';

/** A client of Streamable HTTP with nothing but `fetch`: one POST for each message, answered as JSON or as an event. */
export class HttpClient implements McpClient {
  readonly #url: URL;
  #session: string | undefined;
  #lastId = 0;

  constructor(url: URL) {
    this.#url = url;
  }

  async initialize(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'kettle-benchmark', version: '1' },
    });
    await (await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' })).arrayBuffer();
  }

  async request(method: string, params?: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    const response = await this.#post({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
    this.#session ??= response.headers.get('mcp-session-id') ?? undefined;
    const { result, error } = replyTo(id, await response.text());
    if (error) throw new Error(error.message);
    return result;
  }

  async close(): Promise<void> {
    if (this.#session === undefined) return;
    await fetch(this.#url, { method: 'DELETE', headers: this.#headers() }).catch(() => {});
  }

  async #post(message: unknown): Promise<Response> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: {
        ...this.#headers(),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
    });
    if (!response.ok) throw new Error(`the server answered ${response.status}: ${await response.text()}`);
    return response;
  }

  #headers(): Record<string, string> {
    return {
      'mcp-protocol-version': '2025-06-18',
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
    };
  }
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The reply to request `id` in a body that is JSON, or a stream of events of which one carries it. */
function replyTo(id: number, body: string): Reply {
  const messages = body.startsWith('{')
    ? [body]
    : body
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trim())
        .filter((data) => data !== '');
  for (const message of messages) {
    const reply = JSON.parse(message) as Reply;
    if (reply.id === id) return reply;
  }
  throw new Error('the server ended its answer without a reply');
}
