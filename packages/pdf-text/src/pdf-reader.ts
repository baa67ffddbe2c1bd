import { Worker } from 'node:worker_threads';
import { PdfError } from './errors.js';
import type { PdfText } from './pdf-text.js';
import type { Reply } from './protocol.js';

export interface PdfReaderOptions {
  /**
   * Milliseconds that one document may take, by the clock and from when the thread is ready; it is ended then.
   * @default 60000
   */
  readonly deadline?: number;
  /**
   * MiB of memory for the thread's JavaScript objects; half as much for the largest stream of a document.
   * @default 512
   */
  readonly memory?: number;
  /**
   * Milliseconds without a document after which the thread ends and its memory is given back.
   * @default 10000
   */
  readonly idle?: number;
}

export interface ReadOptions {
  /** Ends the reading: `read` rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Somebody waits: goes before all that are not urgent, but for the one that is being read. @default false */
  readonly urgent?: boolean;
}

interface Job {
  readonly urgent: boolean;
  readonly bytes: Uint8Array;
  readonly resolve: (text: PdfText) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Reads PDFs in a thread of its own, one at a time: PDFs come from anywhere, and one that keeps the thread busy for
 * ever, or eats its memory, costs only that thread. It starts with the first document; an idle thread never
 * keeps the process from ending.
 */
export class PdfReader {
  readonly #options: Required<PdfReaderOptions>;
  readonly #waiting: Job[] = [];
  #current: { readonly job: Job; readonly deadline: NodeJS.Timeout } | undefined;
  #worker: Worker | undefined;
  #isReady = false;
  #idle: NodeJS.Timeout | undefined;

  constructor({ deadline = 60_000, memory = 512, idle = 10_000 }: PdfReaderOptions = {}) {
    this.#options = Object.freeze({ deadline, memory, idle });
  }

  /**
   * The text of a PDF; the same for the same bytes. `bytes` must not change meanwhile, and stay as they are.
   *
   * @throws {PdfError} where the document is the reason.
   * @throws {Error} where the thread can't be started or can't work; another try may go well.
   */
  async read(bytes: Uint8Array, { signal, urgent = false }: ReadOptions = {}): Promise<PdfText> {
    signal?.throwIfAborted();
    let abort: (() => void) | undefined;
    try {
      return await new Promise<PdfText>((resolve, reject) => {
        const job = { urgent, bytes, resolve, reject };
        abort = () => this.#abandon(job, signal!.reason);
        signal?.addEventListener('abort', abort, { once: true });
        const lessUrgent = urgent ? this.#waiting.findIndex((other) => !other.urgent) : -1;
        this.#waiting.splice(lessUrgent < 0 ? this.#waiting.length : lessUrgent, 0, job);
        this.#next();
      });
    } finally {
      if (abort) signal?.removeEventListener('abort', abort);
    }
  }

  #next(): void {
    if (this.#current) return;
    const job = this.#waiting.shift();
    if (job) this.#begin(job);
    else this.#rest();
  }

  #begin(job: Job): void {
    clearTimeout(this.#idle);
    this.#current = { job, deadline: setTimeout(() => this.#end(this.#tooSlow()), this.#options.deadline) };
    try {
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage(job.bytes);
    } catch (error) {
      this.#end(error);
    }
  }

  #tooSlow(): Error {
    const seconds = `${this.#options.deadline / 1000} s`;
    if (!this.#isReady) return new Error(`The thread that reads PDFs was not ready within ${seconds}.`);
    return new PdfError('too_slow', { detail: `more than ${seconds}` });
  }

  /** An idle thread is no reason for the process to stay, and its memory is not kept for long. */
  #rest(): void {
    this.#worker?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#drop(), this.#options.idle).unref();
  }

  #start(): Worker {
    const { memory } = this.#options;
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      name: 'pdf-text',
      workerData: (memory / 2) * 2 ** 20,
      resourceLimits: { maxOldGenerationSizeMb: memory },
      // Flags of the process may be none for a thread's file; nor does it need anything of the environment.
      execArgv: [],
      env: {},
      // What pdf.js prints must not reach the process's output, which may be a protocol.
      stdout: true,
      stderr: true,
    });
    worker.on('message', (reply: Reply) => {
      if (worker === this.#worker) this.#settle(reply);
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (worker === this.#worker) this.#end(this.#isReady ? blameDocument(error, memory) : error);
    });
    worker.once('exit', () => {
      if (worker === this.#worker) this.#end(new Error('The thread that reads PDFs ended by itself.'));
    });
    return worker;
  }

  #settle(reply: Reply): void {
    if ('ready' in reply) {
      this.#isReady = true;
      this.#current?.deadline.refresh();
    } else if ('failure' in reply) this.#end(new Error(reply.failure));
    else {
      const job = this.#takeCurrent();
      if ('result' in reply) job?.resolve(reply.result);
      else job?.reject(new PdfError(reply.error.code, reply.error));
      this.#next();
    }
  }

  /** Ends the thread, and the document that it reads with `reason`; the next one gets a new thread. */
  #end(reason: unknown): void {
    this.#drop();
    this.#takeCurrent()?.reject(reason);
    this.#next();
  }

  #abandon(job: Job, reason: unknown): void {
    if (this.#current?.job === job) this.#end(reason);
    else {
      const index = this.#waiting.indexOf(job);
      if (index >= 0) this.#waiting.splice(index, 1);
      job.reject(reason);
    }
  }

  #takeCurrent(): Job | undefined {
    const current = this.#current;
    clearTimeout(current?.deadline);
    this.#current = undefined;
    return current?.job;
  }

  #drop(): void {
    clearTimeout(this.#idle);
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#isReady = false;
  }
}

/** What a thread that was ready ended with. */
function blameDocument(error: NodeJS.ErrnoException, memory: number): PdfError {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new PdfError('too_large', { detail: `it needs more than ${memory} MiB of memory`, cause: error });
  }
  return new PdfError('damaged', { detail: error.message, cause: error });
}
