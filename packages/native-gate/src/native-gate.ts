/** Indices: how many calls are inside (one may begin between the turns of another), and whether the gate is shut. */
const inside = 0;
const shut = 1;

/**
 * Native code that meets V8 in the middle of being ended may abort the whole process, since it can't hand back its
 * result: onnxruntime does, and so do addons built on node-addon-api. So a thread calls it through a gate, and whoever
 * ends the thread, or the process, shuts the gate and waits until nobody is inside. Thread and owner each hold one of
 * these over the same memory.
 */
export class NativeGate {
  readonly memory: SharedArrayBuffer;
  readonly #flags: Int32Array;
  readonly #onEmptied: (() => void) | undefined;

  /**
   * @param memory of the other side's gate
   * @param onEmptied called by the last one to come out of a gate that was shut meanwhile
   */
  constructor(memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT), onEmptied?: () => void) {
    this.memory = memory;
    this.#flags = new Int32Array(memory);
    this.#onEmptied = onEmptied;
  }

  /** @throws {Error} when the gate is shut. */
  run<Result>(call: () => Result): Result {
    this.#pass();
    try {
      return call();
    } finally {
      this.leave();
    }
  }

  /** As {@link run}, for a call that is over when its promise is settled. */
  async runAsync<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#pass();
    try {
      return await call();
    } finally {
      this.leave();
    }
  }

  /** Counts a call in that nothing can refuse: the owner does it for a thread that begins by loading native code. */
  enter(): void {
    Atomics.add(this.#flags, inside, 1);
  }

  /** Counts out what {@link enter} counted in. */
  leave(): void {
    const others = Atomics.sub(this.#flags, inside, 1) - 1;
    if (!this.#isShut()) return;
    Atomics.notify(this.#flags, inside);
    if (others === 0) this.#onEmptied?.();
  }

  /** Lets nobody in any more. */
  shut(): void {
    Atomics.store(this.#flags, shut, 1);
  }

  get isEmpty(): boolean {
    return Atomics.load(this.#flags, inside) === 0;
  }

  /** Blocks this thread until nobody is inside, for so many milliseconds at most. Gives whether nobody is. */
  waitUntilEmpty(milliseconds: number): boolean {
    const end = performance.now() + milliseconds;
    for (;;) {
      const count = Atomics.load(this.#flags, inside);
      if (count === 0) return true;
      const left = end - performance.now();
      if (left <= 0) return false;
      Atomics.wait(this.#flags, inside, count, left);
    }
  }

  /** The thread is gone, wherever it was: nobody is inside. */
  empty(): void {
    Atomics.store(this.#flags, inside, 0);
  }

  #pass(): void {
    // First in, then the look: the owner shuts first and then counts, so one of the two sees the other.
    this.enter();
    if (!this.#isShut()) return;
    this.leave();
    throw new Error('the thread is ending');
  }

  #isShut(): boolean {
    return Atomics.load(this.#flags, shut) === 1;
  }
}
