import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { isJSONRPCRequest, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { EventBudget } from './event-budget.js';
import { BoundedEventStore } from './event-store.js';
import { HttpProblem } from './http-problem.js';
import type { HttpLimits } from './limits.js';
import { batchNotSupported, invalidRequest, type Messages } from './read-messages.js';
import { SessionTransport } from './session-transport.js';

export interface SessionOptions {
  /** Whom it belongs to. */
  readonly client: string;
  readonly server: Server;
  readonly limits: HttpLimits;
  /** Of all sessions together. */
  readonly eventBudget: EventBudget;
  /** The time in milliseconds. */
  readonly now: () => number;
  /** Called once `initialize` has been accepted. */
  readonly onOpen: (session: Session) => void;
  readonly onClose: (session: Session) => void;
}

/** One client's connection to an MCP server of its own, over any number of HTTP requests. */
export class Session {
  readonly id = randomUUID();
  readonly #options: SessionOptions;
  readonly #events: BoundedEventStore;
  readonly #transport: SessionTransport;
  /** Event streams that the client opened with GET. */
  readonly #streams = new Set<ServerResponse>();
  #openResponses = 0;
  #isUsed = false;
  #lastUsed: number;

  constructor(options: SessionOptions) {
    const { limits, eventBudget, now, onOpen, onClose } = options;
    this.#options = options;
    this.#lastUsed = now();
    this.#events = new BoundedEventStore(limits.storedEvents, limits.storedCharacters, eventBudget);
    this.#transport = new SessionTransport({
      sessionIdGenerator: () => this.id,
      eventStore: this.#events,
      keepAliveMs: limits.keepAliveMs,
      onsessioninitialized: () => onOpen(this),
    });
    this.#transport.onclose = () => {
      this.#events.clear();
      onClose(this);
    };
  }

  get client(): string {
    return this.#options.client;
  }

  /** How long nothing has come and nothing was open, in milliseconds. */
  get idleMs(): number {
    return this.#openResponses > 0 ? 0 : this.#options.now() - this.#lastUsed;
  }

  /** Whether it was asked anything after `initialize`. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** To be called once, before the first request. */
  async connect(): Promise<void> {
    await this.#options.server.connect(this.#transport.asTransport());
    this.#transport.containErrors();
  }

  /** Hands the messages of a POST to the server; its replies go to `response`. */
  async post(request: IncomingMessage, response: ServerResponse, messages: Messages): Promise<void> {
    const { all, isBatch } = messages;
    if (isBatch && !this.#transport.hasBatches) throw batchNotSupported();
    const ids = all.filter(isJSONRPCRequest).map(({ id }) => id);
    this.#checkIds(ids);
    this.#isUsed ||= all.some((message) => isJSONRPCRequest(message) && message.method !== 'initialize');
    for (const id of ids) this.#transport.expectReply(id, isBatch);
    await this.#handle(request, response, isBatch ? all : all[0]);
    // The transport refused the POST, for its headers: nothing in it was handed on.
    if (!response.headersSent || response.statusCode >= 400) this.#transport.forget(ids);
  }

  /** Opens an event stream, or takes up one that broke, after the last event that the client has. */
  async get(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const lastEventId = request.headers['last-event-id'];
    if (typeof lastEventId === 'string') {
      if (!this.#events.has(lastEventId))
        throw new HttpProblem('The event of Last-Event-ID is not kept here, or not any more', {
          status: 400,
        });
      if (this.#isFinished(lastEventId)) return this.#replay(lastEventId, response);
    }
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    await this.#handle(request, response);
  }

  /** Ends the session, as the client asks. */
  async delete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#handle(request, response);
  }

  /** Ends the streams that would otherwise stay open for ever; requests in flight are still answered. */
  endStreams(): void {
    this.#transport.closeStandaloneSSEStream();
    for (const stream of this.#streams) stream.end();
  }

  /** Ends the session: whatever is in flight is aborted. Closing twice is harmless. */
  async close(): Promise<void> {
    await this.#options.server.close();
  }

  #checkIds(ids: readonly RequestId[]): void {
    const { pending } = this.#transport;
    const twice = ids.find((id, index) => pending.has(id) || ids.indexOf(id) !== index);
    if (twice !== undefined) throw invalidRequest('Invalid request: this id is in use', twice);
    if (pending.size + ids.length > this.#options.limits.requestsInFlight)
      throw new HttpProblem('Too many requests in flight', {
        status: 429,
        id: ids[0],
        headers: { 'retry-after': '1' },
      });
  }

  async #handle(request: IncomingMessage, response: ServerResponse, body?: unknown): Promise<void> {
    this.#lastUsed = this.#options.now();
    if (response.destroyed) return;
    this.#openResponses += 1;
    response.once('close', () => {
      this.#openResponses -= 1;
      this.#lastUsed = this.#options.now();
    });
    await this.#transport.handleRequest(request, response, body);
  }

  /** Whether all replies of the stream with this event are there. Which stream a batch has, only the SDK knows. */
  #isFinished(eventId: string): boolean {
    const inBatch = [...this.#transport.pending.values()].some((request) => request.inBatch);
    return this.#events.hasReply(eventId) && !inBatch;
  }

  /**
   * Gives what a client missed of a stream that is finished, and ends. The SDK would keep it open for ever. 204,
   * when nothing was missed, tells clients not to come back.
   */
  #replay(lastEventId: string, response: ServerResponse): void {
    this.#lastUsed = this.#options.now();
    const missed = this.#events.eventsAfter(lastEventId);
    if (missed.length === 0) {
      response.writeHead(204).end();
      return;
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'mcp-session-id': this.id,
    });
    for (const { id, message } of missed) {
      response.write(`event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`);
    }
    response.end();
  }
}
