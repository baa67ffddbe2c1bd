import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { InFlight } from './in-flight.js';
import { LineSplitter } from './line-splitter.js';
import { BadMessage, parseMessage } from './parse-message.js';

/** Longest line that is read, in bytes. Whoever sends more gets an error, and the memory is not used. */
export const longestLine = 32 * 1024 * 1024;

/** Requests that are served at once; reading pauses until some are answered. */
const mostInFlight = 128;

/** Notifications that are worth nothing later: they are left out while the client doesn't read. */
const droppable = new Set(['notifications/progress', 'notifications/message']);

/**
 * MCP over two streams: one JSON-RPC message a line. Beyond the SDK's own transport it answers lines that are not
 * messages, reads no more while the client doesn't read what it has asked for, and tells when everything that was
 * asked is answered, so that the process can end without losing a reply.
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
  #end!: () => void;
  #wakeReader: (() => void) | undefined;
  #closed = false;

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

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) {
      if (this.#output.writableNeedDrain && droppable.has(message.method)) return;
    } else if (message.id !== undefined) {
      this.#inFlight.remove(message.id);
    }
    this.#write(message);
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
      const message = parseMessage(line);
      if (message) this.#pass(message);
    } catch (error) {
      if (!(error instanceof BadMessage)) throw error;
      const { code, message, id } = error;
      this.#write({ jsonrpc: '2.0', id, error: { code, message } });
    }
    if (this.#output.writableNeedDrain) await this.#drained();
    if (this.#inFlight.size >= mostInFlight) await this.#inFlight.atMost(mostInFlight - 1);
  }

  #pass(message: JSONRPCMessage): void {
    if ('method' in message) {
      if ('id' in message) this.#inFlight.add(message.id);
      else if (message.method === 'notifications/cancelled') this.#forget(message.params?.requestId);
    }
    this.onmessage?.(message);
  }

  /** A cancelled request is not answered. (The SDK can't cancel one whose id is 0 or "", and answers that.) */
  #forget(id: unknown): void {
    if (id && (typeof id === 'string' || typeof id === 'number')) this.#inFlight.remove(id);
  }

  #write(message: object): void {
    if (this.#closed) return;
    // People read the lines, too: the envelope first.
    const { jsonrpc, id, ...contents } = message as { jsonrpc: '2.0'; id?: unknown };
    this.#output.write(`${JSON.stringify({ jsonrpc, id, ...contents })}\n`);
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
      this.#output.once('drain', resolve);
    });
  }
}
