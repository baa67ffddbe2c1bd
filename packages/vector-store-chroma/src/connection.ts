import { setTimeout as sleep } from 'node:timers/promises';
import { VectorStoreError } from '@kettle/vector-store';
import { CallClient, type ServerLimits } from './call-client.js';
import { endAfter } from './ending.js';
import type { ChromaEndpoint, Trouble } from './endpoint.js';
import { AnswerError, toStoreError } from './failures.js';

export interface ConnectionOptions {
  readonly endpoint: ChromaEndpoint;
  readonly apiKey: string | undefined;
  readonly tenant: string | undefined;
  readonly database: string | undefined;
  /** Milliseconds for one call, its retries included. */
  readonly deadline: number;
}

const attempts = 5;
/** Milliseconds that the first retry waits at most; each further one twice as long. */
const firstBackoff = 100;

/**
 * Calls to one server. Each ends within the deadline, with an answer or a {@link VectorStoreError}. All that
 * Kettle asks of a server can be asked twice with the same outcome, so what may pass by itself is tried again.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #closing = new AbortController();
  #tenant: string | undefined;
  #database: string | undefined;
  #limits: ServerLimits | undefined;
  /** How the last call failed, so that a server of our own is looked after. */
  #trouble: Trouble | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#headers = options.apiKey === undefined ? {} : { 'x-chroma-token': options.apiKey };
    this.#tenant = options.tenant;
    this.#database = options.database;
  }

  /** Most records that the server takes, and gives, at a time. */
  get maxBatchSize(): number {
    const size = this.#limits?.max_batch_size ?? 0;
    return size > 0 ? size : Number.POSITIVE_INFINITY;
  }

  /**
   * Finds out whether there is a Chroma server that Kettle can work with, what it allows, and, where only a key
   * was given, whose tenant and database it opens.
   */
  async handshake(signal: AbortSignal | undefined): Promise<void> {
    await this.call(async (client) => {
      if (!Number.isFinite(await client.heartbeat())) throw notChroma('its heartbeat is no number');
      const version = await client.version();
      if (!/^[1-9]/.test(version)) throw notChroma(`it is version ${version}`);
      const limits = await client.getPreflightChecks();
      if (typeof limits !== 'object') throw notChroma('it does not tell its limits');
      this.#limits = limits;
    }, signal);
    if (this.#options.apiKey !== undefined && !(this.#tenant && this.#database)) await this.#identify(signal);
  }

  /**
   * Gives the caller one turn to close or abort, then refuses a call if that happened: for calls that may have
   * nothing to ask the server.
   */
  async begin(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await undefined;
    if (this.#closing.signal.aborted) throw closed();
    signal?.throwIfAborted();
  }

  /**
   * Runs one operation. `operation` gets a client for this call only, and may run more than once.
   *
   * @throws {VectorStoreError} when the server fails, is too slow or was closed.
   * @throws The signal's reason when that is aborted.
   */
  async call<T>(operation: (client: CallClient) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const ending = endAfter(this.#options.deadline, [this.#closing.signal, signal]);
    try {
      return await this.#attempt(operation, ending.signal);
    } catch (error) {
      if (this.#closing.signal.aborted) throw closed();
      signal?.throwIfAborted();
      throw error;
    } finally {
      ending.release();
    }
  }

  async #attempt<T>(operation: (client: CallClient) => Promise<T>, ending: AbortSignal): Promise<T> {
    let failure: VectorStoreError | undefined;
    for (let attempt = 1; ; attempt++) {
      let where = 'its address';
      try {
        ending.throwIfAborted();
        where = await this.#options.endpoint.url({ signal: ending, trouble: this.#trouble });
        const answer = await operation(this.#client(where, ending));
        this.#trouble = undefined;
        return answer;
      } catch (error) {
        if (ending.aborted) {
          this.#trouble ??= 'silent';
          throw failure ?? timeout(where, this.#options.deadline);
        }
        failure = toStoreError(error, where);
        if (!failure.retryable) throw failure;
        const answered = failure.cause instanceof AnswerError;
        if (!answered) this.#trouble = 'silent';
        if (attempt === attempts) {
          if (answered) this.#trouble = 'failing';
          throw failure;
        }
      }
      // Full jitter: clients that failed together don't come back together.
      const pause = Math.random() * firstBackoff * 2 ** (attempt - 1);
      await sleep(pause, undefined, { signal: ending }).catch(() => {});
    }
  }

  /** Calls under way reject with `closed`, and so do later ones. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#options.endpoint.close();
  }

  /** Whose tenant and database the key opens. */
  async #identify(signal: AbortSignal | undefined): Promise<void> {
    const { tenant, databases } = await this.call((client) => client.getUserIdentity(), signal);
    this.#tenant ??= tenant;
    const names = [...new Set(databases)].filter((name) => name !== '*');
    if (this.#database === undefined && names.length !== 1) {
      throw new VectorStoreError(
        'invalid_argument',
        `The key opens ${names.length || 'any'} databases of tenant ${this.#tenant} (${names.join(', ') || '*'}): ` +
          'choose one with CHROMA_DATABASE.',
      );
    }
    this.#database ??= names[0];
  }

  #client(url: string, signal: AbortSignal): CallClient {
    return new CallClient({
      url,
      headers: this.#headers,
      tenant: this.#tenant,
      database: this.#database,
      limits: this.#limits,
      signal,
    });
  }
}

function closed(): VectorStoreError {
  return new VectorStoreError('closed', 'The Chroma store is closed: open a new one.');
}

function timeout(where: string, deadline: number): VectorStoreError {
  return new VectorStoreError(
    'timeout',
    `The Chroma server at ${where} did not answer within ${deadline} ms.`,
    {
      retryable: true,
    },
  );
}

function notChroma(why: string): VectorStoreError {
  return new VectorStoreError(
    'unsupported',
    `The server is no Chroma server of version 1 or newer (${why}): check CHROMA_URL.`,
  );
}
