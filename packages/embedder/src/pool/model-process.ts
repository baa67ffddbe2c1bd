import { type ChildProcess, fork } from 'node:child_process';
import type { ModelFiles, Place, Response } from '../serving/messages.js';
import { ModelClient } from '../serving/model-client.js';

/** Milliseconds without an answer after which a process is taken for dead: even large models are much quicker. */
const longestSilence = 120_000;
const handle = 1;

/**
 * A child process with one model, that embeds documents on one thread. It ends with this process, and doesn't keep
 * it alive unless texts are under way.
 */
export class ModelProcess {
  readonly #child: ChildProcess;
  readonly #client: ModelClient;
  /** Resolves when the model is loaded; rejects when it can't be, or the process ends before. */
  readonly loaded: Promise<void>;
  /** Resolves when the process is gone, with what is known about why. */
  readonly gone: Promise<string>;
  #isGone = false;

  constructor(files: ModelFiles) {
    this.#child = fork(new URL('../child.js', import.meta.url), {
      // The parent's flags are its own: `--input-type` or `--inspect` would end a child at once.
      execArgv: [],
      serialization: 'advanced',
      // Nothing that a library prints may get into the parent's output.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#client = new ModelClient({
      name: 'process',
      // A child that can't be reached any more is about to be reported gone.
      send: (request) => void this.#child.send(request, () => {}),
    });
    this.gone = new Promise((resolve) => {
      const end = (reason: string): void => {
        this.#isGone = true;
        this.#client.end(reason);
        resolve(reason);
      };
      this.#child.on('error', (error) => end(error.message));
      this.#child.on('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    });
    this.#child.on('message', (response: Response) => this.#client.settle(response));
    this.loaded = this.#load(files);
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** One vector for each text. */
  async embed(texts: readonly string[], place: Place, signal: AbortSignal): Promise<Float32Array[]> {
    // It is this timer, too, that keeps the process alive meanwhile.
    const timer = setTimeout(() => this.end(), longestSilence);
    try {
      const vectors = await this.#client.embed(handle, 'documents', texts, { place, signal });
      // What comes in a message shares the message's memory.
      return vectors.map((vector) => vector.slice());
    } finally {
      clearTimeout(timer);
    }
  }

  /** It has nothing to lose. */
  end(): void {
    this.#child.kill('SIGKILL');
  }

  async #load(files: ModelFiles): Promise<void> {
    const timer = setTimeout(() => this.end(), longestSilence).unref();
    try {
      await this.#client.load(handle, files);
    } finally {
      clearTimeout(timer);
    }
  }
}
