import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { VectorStoreError } from '@kettle/vector-store';
import { isStorageFull } from '../failures.js';
import { killMarked, markVariable } from './process-mark.js';

export interface ServerProcessOptions {
  readonly directory: string;
  /** Program and first arguments; `run --path … --host … --port …` follow. */
  readonly command: readonly string[];
  /** Milliseconds until the server has to answer. */
  readonly deadline: number;
  /** Tells its processes from all others; see `killMarked`. */
  readonly mark: string;
  /** Told as soon as there is a process, before it answers. */
  readonly onSpawn: (pid: number) => void;
  /** Gives a start up, and ends what was started. */
  readonly signal: AbortSignal;
}

const portAttempts = 5;
const outputKept = 4000;
/** Milliseconds between SIGTERM and SIGKILL. Chroma has been seen to spin for minutes after SIGTERM. */
const termGrace = 1000;

/** One run of a Chroma server. Only a guardian has one. */
export class ServerProcess {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #mark: string;
  #output = '';
  readonly #started = Date.now();
  #exited = false;

  /**
   * Starts a server on a free loopback port and waits until it answers.
   *
   * @throws {VectorStoreError} `unsupported` when it can't run on this system, `timeout` when it doesn't answer
   * before the deadline, `storage_full` or `unavailable` when it ends before it answers.
   */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    const until = Date.now() + options.deadline;
    for (let attempt = 1; ; attempt++) {
      const server = new ServerProcess(options, await freePort());
      await server.#announce(options.onSpawn);
      if (await server.#answers(until, options.signal)) return server;
      const expired = !server.#exited;
      await server.stop();
      options.signal.throwIfAborted();
      // Between our look and its start, someone else may have taken the port.
      if (!expired && attempt < portAttempts && /address .*(not available|in use)/i.test(server.#output))
        continue;
      throw expired
        ? new VectorStoreError(
            'timeout',
            `The Chroma server did not answer within ${options.deadline} ms of its start (${options.command.join(' ')}).`,
            { retryable: true },
          )
        : startFailure(options.command, server.#output);
    }
  }

  private constructor({ command, directory, mark }: ServerProcessOptions, port: number) {
    this.#mark = mark;
    this.url = `http://127.0.0.1:${port}`;
    const [program = '', ...words] = command;
    const address = ['--path', directory, '--host', '127.0.0.1', '--port', String(port)];
    // A process group of its own, so that a wrapper script ends together with the server it started.
    this.#child = spawn(program, [...words, 'run', ...address], {
      detached: true,
      env: { ...process.env, [markVariable]: mark },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const keep = (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString()).slice(-outputKept);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    this.#child.once('error', (error) => {
      this.#exited = true;
      this.#output += `\n${error.message}`;
    });
    this.#child.once('close', () => {
      this.#exited = true;
    });
  }

  get isRunning(): boolean {
    return !this.#exited;
  }

  /** Milliseconds since its start. */
  get age(): number {
    return Date.now() - this.#started;
  }

  /** Whether the process runs and answers within `milliseconds`. */
  async isWell(milliseconds: number): Promise<boolean> {
    if (this.#exited) return false;
    try {
      const response = await fetch(`${this.url}/api/v2/heartbeat`, {
        signal: AbortSignal.timeout(milliseconds),
      });
      await response.arrayBuffer();
      return response.ok && !this.#exited;
    } catch {
      return false;
    }
  }

  /** Ends the server, and whatever it started: also what is left of it after its own end. */
  async stop(): Promise<void> {
    const { pid } = this.#child;
    const closed = this.#exited ? undefined : once(this.#child, 'close');
    if (pid !== undefined && closed) {
      signalGroup(pid, 'SIGTERM');
      await Promise.race([closed, sleep(termGrace)]);
      signalGroup(pid, 'SIGKILL');
    }
    // What left the group would keep the port, the data, and the pipes that `close` waits for.
    while (killMarked(this.#mark)) await sleep(10);
    if (!this.#exited) await closed;
  }

  /** What could not be noted down would be left running beside the next server, so it is ended. */
  async #announce(onSpawn: (pid: number) => void): Promise<void> {
    if (this.#child.pid === undefined) return;
    try {
      onSpawn(this.#child.pid);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #answers(until: number, signal: AbortSignal): Promise<boolean> {
    while (!this.#exited && !signal.aborted && Date.now() < until) {
      if (await this.isWell(1000)) return true;
      await sleep(25);
    }
    return false;
  }
}

/** Signals a process group, or the process where there are no groups. One that is gone is fine. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** What the loader, the shell or Node says when a program can't run here at all. */
const cannotRun =
  /GLIBC|cannot open shared object|ERR_DLOPEN|Unsupported (architecture|platform|Windows)|Cannot find (module|package)|ENOENT|EACCES|ENOEXEC|Exec format|not found|Permission denied/i;

function startFailure(command: readonly string[], output: string): VectorStoreError {
  const lines = output.split('\n').map((line) => line.trim());
  const reason =
    lines.find((line) => /error|GLIBC/i.test(line)) ??
    lines.findLast((line) => line !== '') ??
    'it said nothing';
  const message = `The Chroma server could not start (${command.join(' ')}): ${reason}`;
  if (isStorageFull(output)) return new VectorStoreError('storage_full', `${message}. Free some space.`);
  if (!cannotRun.test(output)) return new VectorStoreError('unavailable', message, { retryable: true });
  return new VectorStoreError(
    'unsupported',
    `${message}. Ways out: a newer system (Chroma's Linux binary needs glibc 2.38, as in Debian 13 or ` +
      'Ubuntu 24.04), a container, a server of your own ("pip install chromadb", then "chroma run") with ' +
      'CHROMA_URL, or CHROMA_COMMAND with a command that starts one (on Debian 12: scripts/chroma-debian12.sh).',
  );
}
