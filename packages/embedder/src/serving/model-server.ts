import { setImmediate } from 'node:timers/promises';
import { EmbedderError } from '../errors.js';
import { LoadedModel } from '../model/loaded-model.js';
import { type Job, JobQueue } from './job-queue.js';
import type { Failure, Request, Response } from './messages.js';

export interface ModelServerOptions {
  /** Threads that run one text; all cores where it isn't said. */
  readonly threads?: number;
  readonly answer: (response: Response, transfer: readonly ArrayBuffer[]) => void;
  /** Runs native work. */
  readonly native?: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Runs models for another thread or process. Runs the first text of the first job, looks for new requests, and so
 * on: a query waits for at most one text, and a cancelled job stops after at most one.
 */
export class ModelServer {
  readonly #threads: number | undefined;
  readonly #answer: (response: Response, transfer?: readonly ArrayBuffer[]) => void;
  readonly #native: <T>(work: () => Promise<T>) => Promise<T>;
  readonly #models = new Map<number, LoadedModel>();
  readonly #queue = new JobQueue();
  #running = false;
  /** Models are loaded and given back one after the other. */
  #loading: Promise<void> = Promise.resolve();

  constructor({ threads, answer, native = (work) => work() }: ModelServerOptions) {
    this.#threads = threads;
    this.#answer = (response, transfer = []) => answer(response, transfer);
    this.#native = native;
  }

  receive(request: Request): void {
    switch (request.type) {
      case 'load':
        this.#loading = this.#loading.then(() => this.#load(request));
        break;
      case 'unload':
        this.#queue.removeOf(request.handle);
        // The session's memory goes with the object: this onnxruntime has no call to give it back.
        this.#loading = this.#loading.then(() => void this.#models.delete(request.handle));
        break;
      case 'cancel':
        this.#queue.remove(request.id);
        break;
      case 'run':
        this.#queue.add({ ...request, results: [] });
        if (!this.#running) void this.#run();
    }
  }

  async #load({ id, handle, files }: Extract<Request, { type: 'load' }>): Promise<void> {
    try {
      const model = await this.#native(() => LoadedModel.load(files, this.#threads));
      // The first inference is slower than the next ones; and it tells the dimensions.
      const { length } = await this.#native(() => model.embedPassage('a'));
      this.#models.set(handle, model);
      this.#answer({ id, result: { dimensions: length, maxTokens: model.maxTokens } });
    } catch (error) {
      this.#answer({ id, failure: failureOf(error) });
    }
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let job = this.#queue.first(); job; job = this.#queue.first()) {
      try {
        if (job.results.length < job.texts.length) job.results.push(await this.#runText(job));
        if (job.results.length === job.texts.length) this.#finish(job);
      } catch (error) {
        this.#queue.remove(job.id);
        this.#answer({
          id: job.id,
          failure: failureOf(error, job.place.from + job.results.length, job.place.of),
        });
      }
      await setImmediate();
    }
    this.#running = false;
  }

  #runText(job: Job): Promise<Float32Array<ArrayBuffer>> | number {
    const model = this.#models.get(job.handle)!;
    const text = job.texts[job.results.length]!;
    if (job.kind === 'count') return model.countTokens(text);
    return this.#native(() => (job.kind === 'query' ? model.embedQuery(text) : model.embedPassage(text)));
  }

  #finish({ id, results }: Job): void {
    this.#queue.remove(id);
    const buffers = results.flatMap((result) => (typeof result === 'number' ? [] : [result.buffer]));
    this.#answer({ id, result: results as Float32Array[] | number[] }, buffers);
  }
}

function failureOf(error: unknown, index = 0, texts = 1): Failure {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!EmbedderError.isInstance(error)) {
    return { code: 'inference_failed', message: `inference failed: ${cause}`, details: { index } };
  }
  const which = texts === 1 ? 'the text' : `text ${index} of ${texts}`;
  const message = error.code === 'text_too_long' ? `${which} ${error.message}` : error.message;
  const details = error.code === 'text_too_long' ? { index, ...error.details } : error.details;
  return { code: error.code, message, details, cause: error.cause ? String(error.cause) : undefined };
}
