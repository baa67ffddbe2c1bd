import type { ModelFiles } from '../serving/messages.js';
import type { ModelClient } from '../serving/model-client.js';
import { DocumentCall, type Share } from './document-call.js';
import { ModelProcess } from './model-process.js';

export interface DocumentPoolOptions {
  /** Processes for many texts; with 1 the thread does them all. */
  readonly processes: number;
  readonly files: ModelFiles;
  /** The model's thread, and the model's handle there. */
  readonly thread: ModelClient;
  readonly handle: number;
  readonly log: (level: 'debug' | 'warn', message: string, data?: Record<string, unknown>) => void;
}

/** Who embeds documents: the model's thread, or a process. */
interface Lane {
  busy: number;
  readonly process?: ModelProcess;
  embed(share: Share): Promise<Float32Array[]>;
}

/** Texts, since the pool was last idle, after which it is worth while to start processes: it takes as long. */
const manyTexts = 64;
/** Texts at a time, and how often: what one has in hand while the main thread is busy with something else. */
const shareSize = 4;
const sharesAhead = 2;
/** Milliseconds without work after which the processes are ended. */
const longestIdle = 10_000;
/** Processes that may die before the pool does without, until it was idle. */
const mostDeaths = 3;

/**
 * Embeds documents, many of them in several processes at a time: one text runs on one thread there, which costs
 * less than one text on all cores, and leaves the model's thread to queries. What a process that dies had in hand is
 * done by the others, or by the thread, which also does what comes while no process is there.
 */
export class DocumentPool {
  readonly #options: DocumentPoolOptions;
  readonly #thread: Lane;
  readonly #processes = new Set<ModelProcess>();
  /** Those whose model is loaded. */
  readonly #ready = new Map<ModelProcess, Lane>();
  readonly #calls = new Set<DocumentCall>();
  readonly #idle: NodeJS.Timeout;
  #texts = 0;
  #deaths = 0;

  constructor(options: DocumentPoolOptions) {
    this.#options = options;
    const { thread, handle } = options;
    this.#thread = {
      busy: 0,
      embed: ({ texts, place, call: { signal } }) =>
        thread.embed(handle, 'documents', texts, { place, signal }),
    };
    this.#idle = setTimeout(() => this.#rest(), longestIdle).unref();
  }

  async embed(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const call = new DocumentCall(texts, signal);
    this.#calls.add(call);
    this.#texts += texts.length;
    if (this.#texts > manyTexts) this.#startProcesses();
    this.#handOut();
    try {
      return await call.vectors;
    } finally {
      this.#calls.delete(call);
      this.#idle.refresh();
      // An aborted call leaves its turn to the next.
      this.#handOut();
    }
  }

  /** Ends the processes. Calls under way reject with `reason`. */
  close(reason: unknown): void {
    for (const call of this.#calls) call.end(reason);
    clearTimeout(this.#idle);
    this.#endProcesses();
  }

  #handOut(): void {
    const lanes = this.#ready.size > 0 ? [...this.#ready.values()] : [this.#thread];
    for (let ahead = 0; ahead < sharesAhead; ahead++) {
      for (const lane of lanes) {
        if (lane.busy > ahead) continue;
        const share = this.#take(lanes.length * sharesAhead);
        if (share === undefined) return;
        void this.#run(lane, share);
      }
    }
  }

  /** The next texts, fewer when there are few for so many takers. */
  #take(takers: number): Share | undefined {
    let waiting = 0;
    for (const call of this.#calls) waiting += call.waiting;
    const most = Math.min(shareSize, Math.ceil(waiting / takers));
    for (const call of this.#calls) {
      const share = call.take(most);
      if (share) return share;
    }
    return undefined;
  }

  async #run(lane: Lane, share: Share): Promise<void> {
    lane.busy++;
    try {
      share.call.done(share, await lane.embed(share));
    } catch (error) {
      if (lane.process?.isGone) share.call.redo(share);
      else share.call.fail(share, error);
    }
    lane.busy--;
    this.#handOut();
  }

  #startProcesses(): void {
    const { processes, files, log } = this.#options;
    while (processes > 1 && this.#processes.size < processes && this.#deaths < mostDeaths) {
      try {
        this.#add(new ModelProcess(files));
      } catch (error) {
        this.#deaths = mostDeaths;
        log('warn', `no process can be started to embed documents, so one thread does it: ${error}`);
      }
    }
  }

  #add(process: ModelProcess): void {
    const { log } = this.#options;
    const { pid } = process;
    this.#processes.add(process);
    process.loaded.then(
      () => {
        if (process.isGone) return;
        log('debug', 'a process to embed documents is ready', { pid });
        this.#ready.set(process, { busy: 0, process, embed: (share) => embedIn(process, share) });
        this.#handOut();
      },
      // It can load no model, as when memory is short. That the process is gone is all there is to know.
      () => process.end(),
    );
    void process.gone.then((reason) => {
      this.#ready.delete(process);
      // Unless it is this pool that ended it.
      if (!this.#processes.delete(process)) return;
      this.#deaths++;
      log('warn', `a process that embeds documents ended (${reason}); its texts are done by another`, {
        pid,
      });
      if (this.#calls.size > 0) this.#startProcesses();
      this.#handOut();
    });
  }

  #rest(): void {
    if (this.#calls.size > 0) {
      this.#idle.refresh();
      return;
    }
    this.#texts = 0;
    this.#deaths = 0;
    this.#endProcesses();
  }

  #endProcesses(): void {
    const processes = [...this.#processes];
    this.#processes.clear();
    this.#ready.clear();
    for (const process of processes) process.end();
  }
}

function embedIn(process: ModelProcess, { texts, place, call }: Share): Promise<Float32Array[]> {
  return process.embed(texts, place, call.signal);
}
