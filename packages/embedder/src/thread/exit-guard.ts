/**
 * Keeps the process from ending in the middle of native code: onnxruntime then aborts it (SIGABRT) because it
 * can't hand back its result. The main thread, on its way out, waits for the text under way; the model's thread
 * starts no other. Both sides hold one of these over the same memory.
 */
export class ExitGuard {
  readonly memory: SharedArrayBuffer;
  readonly #flags: Int32Array;

  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#flags = new Int32Array(memory);
  }

  /** For the model's thread: does some native work, unless the process is ending. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.begin();
    try {
      if (Atomics.load(this.#flags, ending) === 1) throw new Error('the process is ending');
      return await work();
    } finally {
      this.finish();
    }
  }

  /** Marks the beginning of native work. The main thread calls it for the thread that it is about to start. */
  begin(): void {
    Atomics.add(this.#flags, busy, 1);
  }

  /** Marks the end of what {@link begin} began. */
  finish(): void {
    Atomics.sub(this.#flags, busy, 1);
    Atomics.notify(this.#flags, busy);
  }

  /** For the main thread, once the model's thread is gone: nothing is left to wait for. */
  giveUp(): void {
    Atomics.store(this.#flags, busy, 0);
  }

  /** For the main thread, while the process ends: waits for the work under way, which takes milliseconds. */
  waitAtExit(): void {
    Atomics.store(this.#flags, ending, 1);
    for (let works = Atomics.load(this.#flags, busy); works > 0; works = Atomics.load(this.#flags, busy)) {
      if (Atomics.wait(this.#flags, busy, works, longestWait) === 'timed-out') return;
    }
  }
}

/** Indices of the flags: how many works are under way (a model may load between texts), and whether it's over. */
const busy = 0;
const ending = 1;
/** Milliseconds. Loading a large model may take this long; then an abort is better than a process that stays. */
const longestWait = 5000;
