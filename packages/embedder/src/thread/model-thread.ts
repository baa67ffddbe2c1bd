import { Worker } from 'node:worker_threads';
import { EmbedderError } from '../errors.js';
import { ExitGuard } from './exit-guard.js';
import type { JobKind, ModelFacts, ModelFiles, Request, Response } from './messages.js';

interface Call {
  readonly handle: number;
  resolve(result: Extract<Response, { result: unknown }>['result']): void;
  reject(reason: unknown): void;
  /** Stops listening to the caller's signal. */
  ignoreSignal(): void;
}

/** A request that is answered. */
type Question = Extract<Request, { type: 'load' | 'run' }>;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/**
 * The one thread of this process that runs models. onnxruntime's native part loads in a single thread of a
 * process, once, so this thread is never ended; while no call is under way it doesn't keep the process alive.
 */
export class ModelThread {
  readonly #worker: Worker;
  readonly #calls = new Map<number, Call>();
  #lastId = 0;
  #ended: EmbedderError | undefined;

  private constructor() {
    const guard = new ExitGuard();
    process.once('exit', () => guard.waitAtExit());
    // What a library prints must not reach the process's own output, so it is held here. It isn't read: reading
    // would keep the process alive, and there are only a few warnings at most.
    this.#worker = new Worker(new URL('../worker.js', import.meta.url), {
      stdout: true,
      stderr: true,
      // Flags of the process may be none for a thread's file: `--input-type` ends it at once.
      execArgv: [],
      workerData: guard.memory,
    });
    this.#worker.on('message', (response: Response) => this.#settle(response));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end());
    this.#worker.unref();
  }

  /** The thread of this process, also when this package is installed twice. */
  static get(): ModelThread {
    const key = Symbol.for('kettle.embedder.thread.v1');
    const registry = globalThis as { [key]?: ModelThread };
    registry[key] ??= new ModelThread();
    return registry[key];
  }

  async load(handle: number, files: ModelFiles, signal?: AbortSignal): Promise<ModelFacts> {
    return (await this.#call({ type: 'load', handle, files }, signal)) as ModelFacts;
  }

  /** Gives back a model's memory. Calls to it that are under way reject with `reason`. */
  unload(handle: number, reason: unknown): void {
    for (const [id, call] of this.#calls) if (call.handle === handle) this.#take(id)?.reject(reason);
    if (!this.#ended) this.#send({ type: 'unload', handle });
  }

  async embed(
    handle: number,
    kind: Exclude<JobKind, 'count'>,
    texts: readonly string[],
    signal?: AbortSignal,
  ) {
    return (await this.#call({ type: 'run', handle, kind, texts }, signal)) as Float32Array[];
  }

  async count(handle: number, texts: readonly string[], signal?: AbortSignal): Promise<number[]> {
    return (await this.#call({ type: 'run', handle, kind: 'count', texts }, signal)) as number[];
  }

  /** A number for a model to be loaded, different from all others of this process. */
  nextHandle(): number {
    return ++this.#lastId;
  }

  #call(request: WithoutId<Question>, signal?: AbortSignal) {
    return new Promise<Parameters<Call['resolve']>[0]>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#ended) throw this.#ended;
      const id = ++this.#lastId;
      const onAbort = (): void => {
        this.#send({ type: 'cancel', id });
        this.#take(id)?.reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const ignoreSignal = (): void => signal?.removeEventListener('abort', onAbort);
      this.#calls.set(id, { handle: request.handle, resolve, reject, ignoreSignal });
      this.#worker.ref();
      this.#send({ ...request, id } as Question);
    });
  }

  #send(request: Request): void {
    this.#worker.postMessage(request);
  }

  #settle(response: Response): void {
    const call = this.#take(response.id);
    if ('result' in response) {
      call?.resolve(response.result);
    } else {
      const { code, message, details, cause } = response.failure;
      call?.reject(new EmbedderError(code, message, { details, cause }));
    }
  }

  /** Takes a call off the list. With none left, the process may end. */
  #take(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.ignoreSignal();
    if (this.#calls.size === 0) this.#worker.unref();
    return call;
  }

  #end(cause?: unknown): void {
    this.#ended ??= new EmbedderError(
      'closed',
      `the thread that runs the model ended${cause ? `: ${cause}` : ''}; restart the process to embed again`,
      { cause },
    );
    for (const id of [...this.#calls.keys()]) this.#take(id)?.reject(this.#ended);
  }
}
