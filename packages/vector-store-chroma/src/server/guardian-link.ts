import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { VectorStoreError } from '@kettle/vector-store';
import type { Trouble } from '../endpoint.js';
import { toStartError } from '../failures.js';
import { type GuardianReply, type GuardianRequest, onLine, type StartSettings } from './guardian-protocol.js';
import type { ServerState } from './server-state.js';

interface Pending {
  resolve(url: string): void;
  reject(error: unknown): void;
}

/** A connection to a guardian. As long as it is open, the guardian keeps the server running. */
export class GuardianLink {
  readonly #socket: Socket;
  readonly #token: string;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  /** Connects to the guardian that `state` tells of; undefined when there is none any more. */
  static async open(state: ServerState | undefined, signal: AbortSignal): Promise<GuardianLink | undefined> {
    if (!state) return undefined;
    const socket = connect({ host: '127.0.0.1', port: state.controlPort });
    try {
      await once(socket, 'connect', { signal });
      return new GuardianLink(socket, state.token);
    } catch {
      socket.destroy();
      signal.throwIfAborted();
      return undefined;
    }
  }

  private constructor(socket: Socket, token: string) {
    this.#socket = socket;
    this.#token = token;
    // A connection alone must not keep Kettle running.
    socket.unref();
    socket.on('close', () => {
      for (const { reject } of this.#pending.values()) reject(guardianGone());
      this.#pending.clear();
    });
    onLine(socket, (line) => this.#settle(JSON.parse(line) as GuardianReply));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  /** Where the server is, once it answers. */
  ensure(start: StartSettings, trouble: Trouble | undefined): Promise<string> {
    if (!this.isOpen) return Promise.reject(guardianGone());
    const id = ++this.#lastId;
    this.#socket.ref();
    const request: GuardianRequest = { token: this.#token, id, start, trouble };
    this.#socket.write(`${JSON.stringify(request)}\n`);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  close(): void {
    this.#socket.destroy();
  }

  #settle(reply: GuardianReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#socket.unref();
    if ('url' in reply) {
      pending?.resolve(reply.url);
    } else {
      const { code, message, retryable } = reply.error;
      pending?.reject(new VectorStoreError(code, message, { retryable }));
    }
  }
}

/**
 * Starts a guardian for a folder and waits until it listens, or has found another one in charge. It lives in a
 * session of its own: what ends this process, a Ctrl-C in the terminal included, doesn't end it at once.
 */
export async function startGuardian(directory: string, signal: AbortSignal): Promise<void> {
  const guardian = spawn(
    process.execPath,
    [fileURLToPath(new URL('./guardian.js', import.meta.url)), directory],
    { detached: true, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true },
  );
  let complaint = '';
  guardian.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  try {
    const greeted = once(guardian.stdout, 'data', { signal }).then(() => true);
    const ended = once(guardian, 'close', { signal }).then(() => false);
    if (!(await Promise.race([greeted, ended]))) {
      throw toStartError("The Chroma server's guardian could not start", complaint);
    }
  } finally {
    guardian.stdout.destroy();
    guardian.stderr.destroy();
    guardian.unref();
  }
}

function guardianGone(): VectorStoreError {
  return new VectorStoreError('unavailable', "The Chroma server's guardian process is gone.", {
    retryable: true,
  });
}
