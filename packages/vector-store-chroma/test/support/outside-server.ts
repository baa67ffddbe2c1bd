import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { execPath, kill } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { chroma } from './chroma-command.js';
import { answers } from './processes.js';

/** A real Chroma server that is not ours: it can be killed and come back at the same address. */
export class OutsideServer {
  readonly url: string;
  readonly #port: number;
  readonly #command: readonly string[];
  #running: { readonly process: ChildProcess; readonly pid: number } | undefined;

  static async start(directory: string, command = chroma.command): Promise<OutsideServer> {
    const server = new OutsideServer(await freePort(), command);
    await server.start(directory);
    return server;
  }

  private constructor(port: number, command: readonly string[]) {
    this.#port = port;
    this.#command = command;
    this.url = `http://127.0.0.1:${port}`;
  }

  async start(directory: string): Promise<void> {
    const address = ['--path', directory, '--host', '127.0.0.1', '--port', String(this.#port)];
    const keeper = fileURLToPath(new URL('./run-while-wanted.mjs', import.meta.url));
    const process = spawn(execPath, [keeper, ...this.#command, 'run', ...address], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [pid] = (await once(process.stdout, 'data')) as [Buffer];
    this.#running = { process, pid: Number(pid.toString()) };
    await expect.poll(() => answers(this.url), { timeout: 30_000 }).toBe(true);
  }

  /** Kills the server without warning. */
  async kill(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    const closed = once(running.process, 'close');
    kill(-running.pid, 'SIGKILL');
    await closed;
  }

  /** Stops it, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    kill(-this.#running!.pid, signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
