/**
 * Lets calls that come together share one run of some work. A run that began before a call may have missed what the
 * caller just did, so whoever comes while one is under way shares the next.
 */
export class SharedRun<T> {
  readonly #work: () => Promise<T>;
  #current: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  /** The outcome of a run that begins after this call. */
  run(): Promise<T> {
    if (this.#current === undefined) return this.#start();
    this.#next ??= this.#current.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  #start(): Promise<T> {
    this.#next = undefined;
    const run = this.#work().finally(() => {
      if (this.#current === run) this.#current = undefined;
    });
    this.#current = run;
    return run;
  }
}
