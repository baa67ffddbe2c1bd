/**
 * A thread that is ended while native code runs in it can take the process along: an addon built on node-addon-api
 * that meets V8 in the middle of being ended aborts (hnswlib-node did in every sixth `process.exit` during an insert).
 * So native code runs behind a gate: whoever wants the thread to end shuts it and waits until nobody is inside.
 */
const inside = 0;
const shut = 1;

/** Longest wait of a process that exits, in milliseconds: for a library that hangs, and for a large file on a slow disk. */
const patience = 5_000;

/** The memory that both sides of a gate share. */
export type GateMemory = Int32Array<SharedArrayBuffer>;

const gates = new Set<ThreadKeeper>();

function shutAll(): void {
  const end = performance.now() + patience;
  for (const gate of gates) gate.shut();
  const stuck = [...gates].filter((gate) => !gate.waitUntilEmpty(end));
  // Node waits for native code for ever: what hangs there would keep the process. Files are whole at any moment.
  if (stuck.length > 0) process.kill(process.pid, 'SIGKILL');
}

/** The gate as the thread's owner sees it. While the thread runs, an exit of this process waits for those inside. */
export class ThreadKeeper {
  readonly memory: GateMemory = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  #abandoned = false;

  constructor() {
    if (gates.size === 0) process.on('exit', shutAll);
    gates.add(this);
  }

  /** Lets nobody in any more. */
  shut(): void {
    Atomics.store(this.memory, shut, 1);
  }

  /**
   * Shuts the gate of a thread that hangs; an exit does not wait for it any more. Gives whether nobody is inside, so that the
   * thread may be terminated; else it ends itself if it ever comes out.
   */
  abandon(): boolean {
    this.#abandoned = true;
    this.shut();
    return this.#count() === 0;
  }

  /** Blocks this thread until nobody is inside, or to `end` on the clock of `performance`. Gives whether nobody is. */
  waitUntilEmpty(end: number): boolean {
    for (;;) {
      const count = this.#count();
      if (count === 0) return true;
      const left = this.#abandoned ? 0 : end - performance.now();
      if (left <= 0) return false;
      Atomics.wait(this.memory, inside, count, left);
    }
  }

  /** The thread has ended. */
  release(): void {
    gates.delete(this);
    if (gates.size === 0) process.off('exit', shutAll);
  }

  #count(): number {
    return Atomics.load(this.memory, inside);
  }
}

/** The gate as the thread sees it. */
export class NativeGate {
  readonly #memory: GateMemory;

  constructor(memory: GateMemory) {
    this.#memory = memory;
  }

  /** @throws {Error} when the gate is shut. */
  run<Result>(call: () => Result): Result {
    this.#enter();
    try {
      return call();
    } finally {
      this.#leave();
    }
  }

  /** As `run`, for a call that is over when its promise is settled. */
  async runAsync<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#enter();
    try {
      return await call();
    } finally {
      this.#leave();
    }
  }

  #enter(): void {
    // First in, then the look: the owner shuts first and then counts, so one of the two sees the other.
    Atomics.add(this.#memory, inside, 1);
    if (Atomics.load(this.#memory, shut) === 0) return;
    this.#leave();
    throw new Error('the index thread is ending');
  }

  #leave(): void {
    const others = Atomics.sub(this.#memory, inside, 1) - 1;
    if (Atomics.load(this.#memory, shut) === 0) return;
    Atomics.notify(this.#memory, inside);
    // Ends this thread only.
    if (others === 0) process.exit();
  }
}
