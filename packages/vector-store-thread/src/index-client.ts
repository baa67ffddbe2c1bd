import { Worker } from 'node:worker_threads';
import { VectorStoreError } from '@kettle/vector-store';
import type { IndexSettings } from './graph-options.js';
import { type Opened, type Operation, openCall, type Reply, type Request, type Results } from './protocol.js';

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Asks the index thread, and makes sure that every question is answered: by it, or because it is gone. */
export class IndexClient {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #calls = openCall;
  /** Why there is nobody to ask any more. */
  #gone: VectorStoreError | undefined;

  private constructor(thread: URL, settings: IndexSettings) {
    this.#worker = new Worker(thread, { workerData: settings, name: 'vector-index' });
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#leave(threadEnded(error)));
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#leave(threadEnded());
        resolve();
      });
    });
  }

  /** Starts the thread and waits until its index is loaded. */
  static async open(
    thread: URL,
    settings: IndexSettings,
    signal?: AbortSignal,
  ): Promise<{ client: IndexClient; opened: Opened }> {
    signal?.throwIfAborted();
    const client = new IndexClient(thread, settings);
    try {
      const opened = await client.#wait<Opened>(openCall, signal);
      return { client, opened };
    } catch (error) {
      // Not terminated: the library may be reading a file in yet another thread.
      await client.close();
      throw error;
    }
  }

  /**
   * @param transfer Buffers that go over to the thread without being copied.
   * @throws {VectorStoreError} what the thread answers; `closed`; `unavailable` when the thread has ended.
   */
  async call<Kind extends Operation['kind']>(
    operation: Extract<Operation, { kind: Kind }>,
    signal?: AbortSignal,
    transfer: ArrayBuffer[] = [],
  ): Promise<Results[Kind]> {
    if (this.#gone) throw this.#gone;
    signal?.throwIfAborted();
    const call = ++this.#calls;
    this.#post({ call, operation }, transfer);
    return this.#wait<Results[Kind]>(call, signal);
  }

  /** Refuses all calls from now on and ends the thread once it is done with what it is writing. */
  async close(): Promise<void> {
    if (!this.#gone) {
      this.#leave(new VectorStoreError('closed', 'The store is closed: open it again.'));
      this.#worker.ref();
      this.#post({ close: true });
    }
    await this.#ended;
  }

  #post(request: Request, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer);
  }

  #wait<Result>(call: number, signal?: AbortSignal): Promise<Result> {
    // An idle store is no reason for the process to stay.
    this.#worker.ref();
    return new Promise<Result>((resolve, reject) => {
      const abort = () => {
        this.#take(call)?.reject(signal?.reason);
        this.#post({ call, cancel: true });
      };
      const unlisten = () => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort, { once: true });
      this.#pending.set(call, {
        resolve: (result) => {
          unlisten();
          resolve(result as Result);
        },
        reject: (error) => {
          unlisten();
          reject(error);
        },
      });
    });
  }

  #settle(reply: Reply): void {
    const pending = this.#take(reply.call);
    if ('result' in reply) pending?.resolve(reply.result);
    else pending?.reject(new VectorStoreError(reply.error.code, reply.error.message));
  }

  #take(call: number): Pending | undefined {
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    if (this.#pending.size === 0) this.#worker.unref();
    return pending;
  }

  #leave(reason: VectorStoreError): void {
    this.#gone ??= reason;
    for (const call of [...this.#pending.keys()]) this.#take(call)?.reject(this.#gone);
  }
}

function threadEnded(cause?: unknown): VectorStoreError {
  return new VectorStoreError(
    'unavailable',
    `The thread of the vector index has ended${cause ? ` (${cause})` : ''}: open the store again.`,
    { cause },
  );
}
