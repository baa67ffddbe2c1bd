import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js';
import type { App } from '../app.js';
import { createMcpServer } from '../mcp/server.js';
import { allowBrowser, answerPreflight } from './cors.js';
import { Guard } from './guard.js';
import { HttpProblem } from './http-problem.js';
import { sendJson, sendProblem } from './json-reply.js';
import { defaultLimits, type HttpLimits } from './limits.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { RateLimiter } from './rate-limiter.js';
import { Readiness } from './readiness.js';
import { Sessions } from './sessions.js';

export interface HttpOptions {
  /** Bounds that differ from the default ones. */
  readonly limits?: Partial<HttpLimits>;
  /** Makes the MCP server of one session. @default Kettle's */
  readonly createServer?: () => McpServer;
  /** The time in milliseconds. @default the system's */
  readonly now?: () => number;
}

/** Why a server can't listen, for whoever has to put it right. */
const whyNot: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there; end it or set PORT to another one',
  EACCES: 'this user may not listen there; set PORT to another one (one above 1023 needs no special rights)',
  EADDRNOTAVAIL: 'HOST is no address of this machine; set it to one that is',
  ENOTFOUND: 'nobody knows an address for HOST; set it to one of this machine',
  EAI_AGAIN: 'the name server that HOST is looked up with gives no answer; set HOST to an IP address',
};

/** How long answers that are being written when everything ends may take, in milliseconds. */
const lastWordsMs = 500;

/** The HTTP server: `/mcp`, `/healthz` (the process lives) and `/readyz` (searches are answered). */
export class HttpService {
  readonly #app: App;
  readonly #limits: HttpLimits;
  readonly #guard: Guard;
  readonly #limiter: RateLimiter;
  readonly #sessions: Sessions;
  readonly #endpoint: McpEndpoint;
  readonly #readiness: Readiness;
  readonly #server: Server;
  readonly #sweeper: NodeJS.Timeout;
  /** Responses under way, without the event streams that have no end. */
  readonly #answering = new Set<ServerResponse>();
  #draining = false;

  constructor(app: App, options: HttpOptions = {}) {
    const { limits, now = Date.now, createServer: createMcp = () => createMcpServer(app) } = options;
    this.#app = app;
    this.#limits = { ...defaultLimits, ...limits };
    this.#guard = new Guard(app.config.http);
    this.#limiter = new RateLimiter(this.#limits.requestsPerSecond, this.#limits.requestBurst, now);
    this.#sessions = new Sessions({ createServer: createMcp, limits: this.#limits, now });
    this.#endpoint = new McpEndpoint(this.#sessions, this.#limits.bodyBytes);
    this.#readiness = new Readiness(app);
    const { headersMs, requestMs, connections, stalledMs } = this.#limits;
    this.#server = createServer(
      {
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        connectionsCheckingInterval: Math.min(headersMs, 5_000),
      },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxConnections = connections;
    this.#server.setTimeout(stalledMs, (socket) => {
      if (socket.writableLength > 0) app.log('info', 'A client does not read its answers: it is cut off');
      socket.destroy();
    });
    this.#sweeper = setInterval(
      () => void this.sweep(),
      Math.min(30_000, this.#limits.sessionIdleMs),
    ).unref();
  }

  /** Begins to serve where the configuration says. Rejects when it can't listen there. */
  async listen(): Promise<void> {
    const { host, port } = this.#app.config.http;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port }, resolve);
    }).catch((error: NodeJS.ErrnoException) => {
      const why = whyNot[error.code ?? ''] ?? error.message;
      throw new Error(`Cannot listen on HOST ${host}, PORT ${port}: ${error.code}, ${why}`, { cause: error });
    });
    this.#app.log('info', `MCP over HTTP at ${this.url}`);
    this.#readiness.open();
  }

  /** Where clients connect to. */
  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/mcp`;
  }

  /** Open sessions. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Ends idle sessions and forgets quiet clients. Happens by itself from time to time. */
  async sweep(): Promise<void> {
    this.#limiter.sweep();
    await this.#sessions.sweep();
  }

  /** Takes no more requests, and resolves when those in flight are answered, or after the time of grace. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#server.close();
    this.#sessions.endStreams();
    await this.#answered(this.#limits.graceMs);
  }

  /** Ends everything. Answers on their way out get a moment more. Closing twice is harmless. */
  async close(): Promise<void> {
    this.#draining = true;
    clearInterval(this.#sweeper);
    this.#sessions.endStreams();
    await this.#answered(lastWordsMs);
    await this.#sessions.closeAll();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const pathname = pathOf(request);
      if (pathname === '/healthz') return sendJson(response, 200, { status: 'alive' });
      if (pathname === '/readyz') return this.#answerReady(response);
      if (pathname !== '/mcp') throw new HttpProblem('Not found', { status: 404 });
      this.#admitPage(request, response);
      if (request.method === 'OPTIONS') return answerPreflight(response);
      this.#admitClient(request);
      if (request.method === 'POST') this.#track(response);
      await this.#endpoint.handle(request, response);
    } catch (error) {
      this.#answerError(request, response, error);
    }
  }

  /** Resolves when no answer is under way any more, or after so many milliseconds. */
  async #answered(milliseconds: number): Promise<void> {
    const closed = (response: ServerResponse) => new Promise((resolve) => response.once('close', resolve));
    const timer = new AbortController();
    const late = delay(milliseconds, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.all([...this.#answering].map(closed)), late]);
    timer.abort();
  }

  #answerReady(response: ServerResponse): void {
    this.#readiness.open();
    const { status } = this.#readiness;
    sendJson(response, status === 'ready' && !this.#draining ? 200 : 503, { status });
  }

  #track(response: ServerResponse): void {
    this.#answering.add(response);
    response.once('close', () => this.#answering.delete(response));
  }

  /** Host and Origin: whether the request comes from where it may. */
  #admitPage(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#guard.allowsHost(request.headers))
      throw new HttpProblem('This Host is not allowed; MCP_ALLOWED_HOSTS can allow it', { status: 403 });
    if (!this.#guard.allowsOrigin(request.headers))
      throw new HttpProblem('This Origin is not allowed; MCP_ALLOWED_ORIGINS can allow it', { status: 403 });
    allowBrowser(request, response);
  }

  /** Pace and token. Guesses at the token count as requests. */
  #admitClient(request: IncomingMessage): void {
    if (this.#draining)
      throw new HttpProblem('The server is shutting down', {
        status: 503,
        headers: { connection: 'close', 'retry-after': '5' },
      });
    const wait = this.#limiter.take(this.#clientOf(request));
    if (wait > 0)
      throw new HttpProblem('Too many requests', {
        status: 429,
        headers: { 'retry-after': String(Math.ceil(wait)) },
      });
    if (!this.#guard.allowsToken(request.headers))
      throw new HttpProblem('A valid bearer token is required', {
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="kettle"' },
      });
  }

  /** Whom the pace is counted for. Behind one address there may be many clients: each session counts for itself. */
  #clientOf(request: IncomingMessage): string {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' && this.#sessions.get(id) !== undefined;
    return known ? `session ${id}` : `address ${request.socket.remoteAddress}`;
  }

  #answerError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (error instanceof HttpProblem) {
      sendProblem(response, error);
      return;
    }
    // The client went away while it was still sending.
    if (request.destroyed && !request.complete) return;
    this.#app.log('error', 'An HTTP request failed', { err: error });
    if (response.headersSent) response.destroy();
    else sendProblem(response, HttpProblem.internal());
  }
}

/** The path of the address that is asked for; empty where that is no address at all. */
function pathOf({ url = '' }: IncomingMessage): string {
  return URL.canParse(url, 'http://kettle') ? new URL(url, 'http://kettle').pathname : '';
}
