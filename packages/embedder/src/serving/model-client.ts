import { EmbedderError } from '../errors.js';
import type { JobKind, ModelFacts, ModelFiles, Place, Request, Response } from './messages.js';
import { onAbort } from './on-abort.js';

/** The way to the thread or process that runs models. */
export interface Link {
  /** What is at the other end, for messages. */
  readonly name: string;
  send(request: Request): void;
  /** A call is under way: this process must not end. */
  ref?(): void;
  /** None is. */
  unref?(): void;
}

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

/** Calls to a `ModelServer` in another thread or process: each is answered, aborted, or ends with that one. */
export class ModelClient {
  readonly #link: Link;
  readonly #calls = new Map<number, Call>();
  #lastId = 0;
  #ended: EmbedderError | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  async load(handle: number, files: ModelFiles, signal?: AbortSignal): Promise<ModelFacts> {
    return (await this.#call({ type: 'load', handle, files }, signal)) as ModelFacts;
  }

  /** Gives back a model's memory. Calls to it that are under way reject with `reason`. */
  unload(handle: number, reason: unknown): void {
    for (const [id, call] of this.#calls) if (call.handle === handle) this.#take(id)?.reject(reason);
    if (!this.#ended) this.#link.send({ type: 'unload', handle });
  }

  async embed(
    handle: number,
    kind: Exclude<JobKind, 'count'>,
    texts: readonly string[],
    {
      place = { from: 0, of: texts.length },
      signal,
    }: { place?: Place; signal?: AbortSignal | undefined } = {},
  ): Promise<Float32Array[]> {
    return (await this.#call({ type: 'run', handle, kind, texts, place }, signal)) as Float32Array[];
  }

  async count(handle: number, texts: readonly string[], signal?: AbortSignal): Promise<number[]> {
    const place = { from: 0, of: texts.length };
    return (await this.#call({ type: 'run', handle, kind: 'count', texts, place }, signal)) as number[];
  }

  /** A number for a model to be loaded, different from all others of this client. */
  nextHandle(): number {
    return ++this.#lastId;
  }

  settle(response: Response): void {
    const call = this.#take(response.id);
    if ('result' in response) {
      call?.resolve(response.result);
    } else {
      const { code, message, details, cause } = response.failure;
      call?.reject(new EmbedderError(code, message, { details, cause }));
    }
  }

  /** There is nobody at the other end any more. */
  end(cause?: unknown): void {
    this.#ended ??= new EmbedderError(
      'thread_ended',
      `the ${this.#link.name} that runs the model ended${cause ? `: ${cause}` : ''}; restart the process to embed again`,
      { cause },
    );
    for (const id of [...this.#calls.keys()]) this.#take(id)?.reject(this.#ended);
  }

  #call(request: WithoutId<Question>, signal?: AbortSignal) {
    return new Promise<Parameters<Call['resolve']>[0]>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#ended) throw this.#ended;
      const id = ++this.#lastId;
      const ignoreSignal = onAbort(signal, () => {
        this.#link.send({ type: 'cancel', id });
        this.#take(id)?.reject(signal?.reason);
      });
      this.#calls.set(id, { handle: request.handle, resolve, reject, ignoreSignal });
      this.#link.ref?.();
      this.#link.send({ ...request, id } as Question);
    });
  }

  /** Takes a call off the list. */
  #take(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.ignoreSignal();
    if (this.#calls.size === 0) this.#link.unref?.();
    return call;
  }
}
