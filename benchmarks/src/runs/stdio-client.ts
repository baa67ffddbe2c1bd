import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { McpClient } from './mcp-client.js';

/**
 * A client that writes lines and reads lines, with nothing between the clock and the server. Requests may
 * overlap; replies are matched by id.
 */
export class StdioClient implements McpClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  #lastId = 0;
  #stderr = '';
  /** Why there is nobody to ask any more. */
  #ended: Error | undefined;

  /** @param entry the server's main module */
  constructor(entry: string, env: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, [entry], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-2000);
    });
    this.#child.stdin?.on('error', () => {}); // told by 'close'
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#receive(line));
    this.#child.on('error', (error) => this.#fail(error));
    this.#child.on('close', (code) =>
      this.#fail(new Error(`the server ended (${code}): ${this.#stderr.trim().split('\n').at(-1) ?? ''}`)),
    );
  }

  async initialize(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'kettle-benchmark', version: '1' },
    });
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  request(method: string, params?: unknown): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    this.#child.stdin?.end();
    await ended;
    clearTimeout(timer);
  }

  #send(message: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #receive(line: string): void {
    const { id, result, error } = JSON.parse(line);
    const waiting = this.#waiting.get(id);
    if (!waiting) return; // a notification
    this.#waiting.delete(id);
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
