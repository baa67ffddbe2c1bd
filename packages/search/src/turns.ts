/** Milliseconds after which work lets others have the event loop. */
const longestStretch = 8;

/**
 * Lets the event loop turn within long work: `if (turns.isDue) await turns.take()`. All such work of a process shares
 * the turns, one piece to each: many short pieces that are ready at once would keep the loop as one long one does.
 */
class Turns {
  #last = performance.now();
  readonly #waiting: (() => void)[] = [];

  get isDue(): boolean {
    return performance.now() - this.#last > longestStretch;
  }

  /** Whoever is `urgent` comes before work in the background. */
  take({ urgent = false } = {}): Promise<void> {
    return new Promise((resolve) => {
      if (urgent) this.#waiting.unshift(resolve);
      else this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#next);
    });
  }

  readonly #next = (): void => {
    this.#last = performance.now();
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}

export const turns = new Turns();
