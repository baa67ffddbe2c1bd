import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { Batch, revisionWithBatches } from './batch.js';
import { InFlight } from './in-flight.js';
import { LineSplitter } from './line-splitter.js';
import { BadMessage, checkMessage, parseLine } from './parse-message.js';

/** Longest line that is read, in bytes. Whoever sends more gets an error, and the memory is not used. */
export const longestLine = 32 * 1024 * 1024;

/**
 * Requests that are served at once; reading pauses until some are answered. Far more than a client has a use for,
 * since while reading pauses its cancellations and pings aren't heard either.
 */
export const mostInFlight = 1024;

/** Notifications that are worth nothing later: they are left out while the client doesn't read. */
const droppable = new Set(['notifications/progress', 'notifications/message']);

/**
 * MCP over two streams: one JSON-RPC message a line, or one batch where the revision has those. Beyond the SDK's own
 * transport it answers lines that are not messages, reads no more while the client doesn't read what it has asked
 * for, and tells when everything that was asked is answered, so that the process can end without losing a reply.
 */
export class StdioTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  /** Resolves when nothing more will come in or can go out: end of input, or one of the streams broke. */
  readonly ended: Promise<void>;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #splitter = new LineSplitter(longestLine);
  readonly #inFlight = new InFlight();
  /** The batch that a request came in, as long as it waits for its reply. */
  readonly #batches = new Map<RequestId, Batch>();
  #end!: () => void;
  #wakeReader: (() => void) | undefined;
  #closed = false;
  #hasBatches = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async start(): Promise<void> {
    // The client is gone (EPIPE): nobody is left to answer.
    this.#output.on('error', () => this.close());
    this.#read()
      .catch((error: Error) => this.onerror?.(error))
      .finally(this.#end);
  }

  /** To be called with the revision agreed on. */
  setProtocolVersion(version: string): void {
    this.#hasBatches = version === revisionWithBatches;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) {
      if (this.#output.writableNeedDrain && droppable.has(message.method)) return;
      this.#write(message);
    } else {
      const { id } = message;
      if (id === undefined || !this.#settle(id, message)) this.#write(message);
      if (id !== undefined) this.#inFlight.remove(id);
    }
  }

  /** Resolves when every request that was read is answered or cancelled. */
  async idle(): Promise<void> {
    await this.#inFlight.atMost(0);
  }

  /** Resolves when everything written has left the process, or can't any more. */
  async flush(): Promise<void> {
    if (!this.#output.writable) return;
    await new Promise<void>((resolve) => this.#output.write('', () => resolve()));
  }

  /** Ends the connection at once: nothing is read or written any more, and calls under way are cancelled. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.destroy();
    this.#inFlight.clear();
    this.#batches.clear();
    this.#wakeReader?.();
    this.#end();
    this.onclose?.();
  }

  async #read(): Promise<void> {
    for await (const chunk of this.#input) {
      for (const line of this.#splitter.push(chunk as Buffer)) await this.#receive(line);
    }
    for (const line of this.#splitter.end()) await this.#receive(line);
  }

  async #receive(line: Buffer | undefined): Promise<void> {
    try {
      if (line === undefined)
        throw new BadMessage(
          ErrorCode.InvalidRequest,
          `Invalid request: a line has at most ${longestLine} bytes`,
        );
      const value = parseLine(line);
      if (Array.isArray(value) && this.#hasBatches) this.#receiveBatch(value);
      else if (value !== undefined) this.#pass(checkMessage(value));
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      this.#write(error.toReply());
    }
    if (this.#output.writableNeedDrain) await this.#drained();
    if (this.#inFlight.size >= mostInFlight) await this.#inFlight.atMost(mostInFlight - 1);
  }

  #receiveBatch(values: readonly unknown[]): void {
    const batch = new Batch(values, (id) => this.#inFlight.has(id));
    for (const id of batch.waiting) this.#batches.set(id, batch);
    if (batch.isComplete) this.#writeBatch(batch);
    for (const message of batch.messages) this.#pass(message);
  }

  /** Gives a batch the reply to one of its requests. False when the request came in none. */
  #settle(id: RequestId, reply?: object): boolean {
    const batch = this.#batches.get(id);
    if (!batch) return false;
    this.#batches.delete(id);
    batch.answer(id, reply);
    if (batch.isComplete) this.#writeBatch(batch);
    return true;
  }

  #pass(message: JSONRPCMessage | undefined): void {
    if (!message) return;
    if ('method' in message) {
      if ('id' in message) this.#inFlight.add(message.id);
      else if (message.method === 'notifications/cancelled') this.#forget(message.params?.requestId);
    }
    try {
      this.onmessage?.(message);
    } catch (error) {
      // The SDK writes an unexpected response into an error, and one that is nested thousands deep can't be written.
      this.onerror?.(error as Error);
    }
  }

  /** A cancelled request is not answered. (The SDK can't cancel one whose id is 0 or "", and answers that.) */
  #forget(id: unknown): void {
    if (!id || (typeof id !== 'string' && typeof id !== 'number')) return;
    this.#settle(id);
    this.#inFlight.remove(id);
  }

  #write(message: object): void {
    if (!this.#closed) this.#output.write(`${toJson(message)}\n`);
  }

  #writeBatch({ replies }: Batch): void {
    if (replies.length > 0 && !this.#closed) this.#output.write(`[${replies.map(toJson).join(',')}]\n`);
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
      this.#output.once('drain', resolve);
    });
  }
}

/** People read the lines, too: the envelope first. */
function toJson(message: object): string {
  const { jsonrpc, id, ...contents } = message as { jsonrpc: '2.0'; id?: unknown };
  return JSON.stringify({ jsonrpc, id, ...contents });
}
