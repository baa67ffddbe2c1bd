import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const mainFile = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A message as it came over the wire. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
export type Wire = any;

export const initializeParams = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

/** Our process's environment without what would set Kettle up, and with `extra`. */
export function cleanEnv(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { INIT_CWD: _, ...env } = process.env;
  return { ...env, LOG_LEVEL: 'silent', ...extra };
}

/** A server process with its two pipes. Every line of its stdout must be JSON: another one fails the test. */
export class ServerProcess {
  static readonly #running = new Set<ServerProcess>();
  readonly child: ChildProcessWithoutNullStreams;
  /** Everything received so far. */
  readonly received: Wire[] = [];
  /** What stdout held that is not a line of JSON. */
  readonly impure: string[] = [];
  stdout = '';
  stderr = '';
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  #rest = '';
  #nextId = 1000;
  #waiting: { readonly matches: (message: Wire) => boolean; readonly resolve: (message: Wire) => void }[] =
    [];

  constructor(env: Record<string, string> = {}, args: readonly string[] = []) {
    this.child = spawn(process.execPath, [mainFile, ...args], { env: cleanEnv(env) });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child.stdin.on('error', () => {});
    this.exit = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
    ServerProcess.#running.add(this);
    this.exit.then(() => ServerProcess.#running.delete(this));
  }

  /** Ends every process that a failed test left behind. */
  static async killAll(): Promise<void> {
    const running = [...ServerProcess.#running];
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.map(({ exit }) => exit));
  }

  write(data: string | Buffer): void {
    this.child.stdin.write(data);
  }

  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends a request and gives its whole reply. */
  async ask(method: string, params?: unknown, id: string | number = this.#nextId++): Promise<Wire> {
    const reply = this.next((message) => message.id === id && message.method === undefined);
    this.send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
    return reply;
  }

  async initialize(params: object = {}): Promise<Wire> {
    const reply = await this.ask('initialize', { ...initializeParams, ...params });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return reply;
  }

  /** The next message that matches. Rejects when the server ends before. */
  next(matches: (message: Wire) => boolean): Promise<Wire> {
    const found = new Promise<Wire>((resolve) => this.#waiting.push({ matches, resolve }));
    const ended = this.exit.then(({ code }) => {
      throw new Error(`the server ended with ${code} before it answered: ${this.stderr}`);
    });
    ended.catch(() => {});
    return Promise.race([found, ended]);
  }

  /** Memory of the process, now (VmRSS) or at most so far (VmHWM); 0 where the system doesn't say. */
  megabytes(what: 'VmRSS' | 'VmHWM'): number {
    const file = `/proc/${this.child.pid}/status`;
    if (!existsSync(file)) return 0;
    return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(readFileSync(file, 'utf8'))?.[1]) / 1024;
  }

  /** Ends the input and gives the exit code. */
  async end(): Promise<number | null> {
    this.child.stdin.end();
    return (await this.exit).code;
  }

  #take(text: string): void {
    this.stdout += text;
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) this.#takeLine(line);
  }

  #takeLine(line: string): void {
    let message: Wire;
    try {
      message = JSON.parse(line);
    } catch {
      this.impure.push(line);
      return;
    }
    this.received.push(message);
    const index = this.#waiting.findIndex(({ matches }) => matches(message));
    if (index !== -1) this.#waiting.splice(index, 1)[0]?.resolve(message);
  }
}
