import {
  StreamableHTTPServerTransport,
  type StreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { revisionWithBatches } from '../stdio/batch.js';

/**
 * The SDK's transport, which also knows the requests that wait for their reply, and gives a reply to those that
 * the client cancels: without one the SDK would keep the event stream of a cancelled request open for ever.
 */
export class SessionTransport extends StreamableHTTPServerTransport {
  /** Requests without a reply so far, and whether they came in a batch. */
  readonly #pending = new Map<RequestId, { readonly inBatch: boolean }>();
  #hasBatches = false;

  constructor(options: StreamableHTTPServerTransportOptions) {
    super(options);
    // The protocol layer calls this first, then does its own part of the work.
    this.onmessage = (message) => this.#answerIfCancelled(message);
  }

  /** Requests that wait for their reply. */
  get pending(): ReadonlyMap<RequestId, { readonly inBatch: boolean }> {
    return this.#pending;
  }

  /** Whether the client agreed on the one revision that has batches. */
  get hasBatches(): boolean {
    return this.#hasBatches;
  }

  /** Called by the server once the revision is agreed on. */
  setProtocolVersion(version: string): void {
    this.#hasBatches = version === revisionWithBatches;
  }

  /** To be called with each request before it is handed over. */
  expectReply(id: RequestId, inBatch: boolean): void {
    this.#pending.set(id, { inBatch });
  }

  /**
   * To be called once the protocol layer is connected. What it throws is no reply: the SDK would put the text of the
   * error into one, and that tells of internals.
   */
  containErrors(): void {
    const { onmessage } = this;
    this.onmessage = (message, extra) => {
      try {
        onmessage?.(message, extra);
      } catch (error) {
        this.onerror?.(error as Error);
      }
    };
  }

  /** To be called with requests that were not handed over after all. */
  forget(ids: readonly RequestId[]): void {
    for (const id of ids) this.#pending.delete(id);
  }

  /** What the protocol layer connects to. */
  asTransport(): Transport {
    // The SDK declares its optional members so that its own class misses its own interface by an `undefined`.
    return this as unknown as Transport;
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!('method' in message) && message.id !== undefined) this.#pending.delete(message.id);
    await super.send(message, options);
  }

  #answerIfCancelled(message: JSONRPCMessage): void {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return;
    const id = message.params?.requestId as RequestId;
    // The SDK can't cancel a request whose id is 0 or "": it answers that itself.
    if (!id || !this.#pending.has(id)) return;
    const error = { code: -32_800, message: 'Request cancelled' };
    this.send({ jsonrpc: '2.0', id, error }).catch((cause) => this.onerror?.(cause));
  }
}
