import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '@kettle/file-lock';
import { VectorStoreError } from '@kettle/vector-store';
import type { ChromaEndpoint, Trouble } from '../endpoint.js';
import { toStartError } from '../failures.js';
import { defaultCommand, parseCommand } from './command.js';
import { GuardianLink, startGuardian } from './guardian-link.js';
import type { StartSettings } from './guardian-protocol.js';
import { readState } from './server-state.js';

export interface ChromaServerOptions {
  /** Folder of the server's data; made on demand. Kettle keeps two small files of its own in it. */
  readonly directory: string;
  /**
   * Starts a Chroma server when `run --path … --host … --port …` is added: a program and its first arguments, or
   * one line that is split at spaces.
   * @default the `chroma` of the `chromadb` package
   */
  readonly command?: string | readonly string[] | undefined;
  /** Milliseconds until a server that was started has to answer. @default 60_000 */
  readonly startDeadline?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A Chroma server of our own on a free loopback port, shared by all processes that use the same folder. It runs
 * until the last of them has closed it or ended, also by SIGKILL.
 */
export class ChromaServer implements ChromaEndpoint {
  readonly #directory: string;
  readonly #settings: StartSettings;
  #link: Promise<GuardianLink> | undefined;
  /** Where the server is, as long as the guardian that said so is there. */
  #known: { readonly link: GuardianLink; readonly url: string } | undefined;
  #closed = false;

  /**
   * Starts the folder's server, or joins the one that runs, and waits until it answers.
   *
   * @throws {VectorStoreError} `unsupported` where the binary can't run, with the ways out; `timeout`,
   * `storage_full` or `unavailable` when it doesn't come up; `invalid_argument` for a command that is none.
   */
  static async start(options: ChromaServerOptions): Promise<ChromaServer> {
    const { command = defaultCommand(), startDeadline = 60_000 } = options;
    const directory = resolve(options.directory);
    await makeDataFolder(directory);
    const server = new ChromaServer(directory, {
      command: typeof command === 'string' ? parseCommand(command) : [...command],
      startDeadline,
    });
    // The guardian's own deadline comes first, so that its message is the one that is seen.
    const limit = AbortSignal.timeout(startDeadline + 5000);
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    try {
      await server.url({ signal });
      return server;
    } catch (error) {
      await server.close();
      if (!limit.aborted || options.signal?.aborted) throw error;
      throw new VectorStoreError('timeout', `No Chroma server came up in ${directory} in time.`, {
        cause: error,
      });
    }
  }

  private constructor(directory: string, settings: StartSettings) {
    this.#directory = directory;
    this.#settings = settings;
  }

  async url({ signal, trouble }: { signal: AbortSignal; trouble?: Trouble | undefined }): Promise<string> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#closed) throw new VectorStoreError('closed', 'The private Chroma server was closed.');
      if (this.#known?.link.isOpen && !trouble) return this.#known.url;
      this.#link ??= this.#join();
      const joining = this.#link;
      const link = await orAborted(joining, signal);
      try {
        const url = await orAborted(link.ensure(this.#settings, trouble), signal);
        this.#known = { link, url };
        return url;
      } catch (error) {
        if (link.isOpen) throw error;
        // The guardian has just left, or was killed: join or start the next one.
        if (this.#link === joining) this.#link = undefined;
      }
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const link = await this.#link?.catch(() => undefined);
    // A guardian that was killed has left the server behind. The next one ends it, and itself for want of users.
    const last = link && !link.isOpen ? await this.#join().catch(() => undefined) : link;
    last?.close();
  }

  async #join(): Promise<GuardianLink> {
    const directory = this.#directory;
    const signal = AbortSignal.timeout(this.#settings.startDeadline);
    try {
      for (;;) {
        const link = await GuardianLink.open(readState(directory), signal);
        if (link && this.#closed) link.close();
        if (link) return link;
        await startGuardian(directory, signal);
        // Another one may be on its way in or out; both take a moment.
        const begun = await GuardianLink.open(readState(directory), signal);
        if (begun) return begun;
        await sleep(50, undefined, { signal });
      }
    } catch (error) {
      this.#link = undefined;
      throw signal.aborted
        ? new VectorStoreError(
            'timeout',
            `The guardian of the Chroma server in ${directory} does not answer.`,
          )
        : error;
    }
  }
}

async function makeDataFolder(directory: string): Promise<void> {
  try {
    await makeFolder(directory);
  } catch (error) {
    throw toStartError(`The folder of the Chroma server's data could not be made (${directory})`, error);
  }
}

/** `promise`, or the signal's reason if that comes first. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
