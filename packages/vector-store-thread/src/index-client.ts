import { Worker } from 'node:worker_threads';
import { VectorStoreError } from '@kettle/vector-store';
import type { IndexSettings } from './graph-options.js';
import { IndexGate } from './index-gate.js';
import {
  type Opened,
  type Operation,
  openCall,
  probeCall,
  type Reply,
  type Request,
  type Results,
  type ThreadData,
} from './protocol.js';

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Asks the index thread, and makes sure that every question is answered: by it, or because it is gone or hangs.
 *
 * Work may take as long as it takes, so calls have no fixed time; but the thread says that it is alive whenever it is
 * asked. One that stays silent for `settings.deadline` hangs: all calls reject with `timeout`, and the store has to be
 * opened again.
 */
export class IndexClient {
  readonly #worker: Worker;
  readonly #gate = new IndexGate();
  readonly #deadline: number;
  /** Runs while calls wait. */
  #watch: NodeJS.Timeout | undefined;
  /** Questions to the thread since it was last heard. */
  #silent = 0;
  readonly #pending = new Map<number, Pending>();
  readonly #ended: Promise<void>;
  #end: (() => void) | undefined;
  #calls = openCall;
  /** Why there is nobody to ask any more. */
  #gone: VectorStoreError | undefined;

  private constructor(thread: URL, settings: IndexSettings) {
    const workerData: ThreadData = { settings, gate: this.#gate.memory };
    this.#worker = new Worker(thread, { workerData, name: 'vector-index' });
    this.#deadline = settings.deadline;
    this.#worker.on('message', (reply: Reply) => {
      this.#silent = 0;
      this.#settle(reply);
    });
    this.#worker.on('error', (error) => this.#leave(threadEnded(error)));
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#worker.once('exit', () => {
      this.#gate.release();
      this.#endWatch();
      this.#leave(threadEnded());
      this.#end?.();
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
   * @throws {VectorStoreError} what the thread answers; `closed`; `unavailable` when the thread has ended; `timeout` when it
   * hangs.
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
      this.#keepWatch();
    }
    await this.#ended;
  }

  #post(request: Request, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer);
  }

  #wait<Result>(call: number, signal?: AbortSignal): Promise<Result> {
    // An idle store is no reason for the process to stay.
    this.#worker.ref();
    this.#keepWatch();
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
    // What nobody waits for, such as a sign of life, must not let go of a thread that is closing.
    if (pending && this.#pending.size === 0) {
      this.#worker.unref();
      this.#endWatch();
    }
    return pending;
  }

  /**
   * Gives up where two questions in a deadline got no sign of life: after a pause of this process the first look comes
   * before what waits to be heard. The call that begins the watch is the first question.
   */
  #keepWatch(): void {
    if (this.#watch) return;
    this.#silent = 1;
    this.#watch = setInterval(() => {
      if (this.#silent++ === 2) this.#abandon();
      else this.#post({ call: probeCall, probe: true });
    }, this.#deadline / 2);
  }

  #endWatch(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #abandon(): void {
    this.#endWatch();
    this.#leave(threadHangs(this.#deadline));
    this.#worker.unref();
    // Native code can't be stopped, so nobody waits for the end of the thread.
    if (this.#gate.abandon()) void this.#worker.terminate();
    this.#end?.();
  }

  #leave(reason: VectorStoreError): void {
    this.#gone ??= reason;
    for (const call of [...this.#pending.keys()]) this.#take(call)?.reject(this.#gone);
  }
}

function threadHangs(deadline: number): VectorStoreError {
  return new VectorStoreError(
    'timeout',
    `The thread of the vector index gave no sign of life for ${deadline} ms: open the store again.`,
  );
}

function threadEnded(cause?: unknown): VectorStoreError {
  return new VectorStoreError(
    'unavailable',
    `The thread of the vector index has ended${cause ? ` (${cause})` : ''}: open the store again.`,
    { cause },
  );
}
