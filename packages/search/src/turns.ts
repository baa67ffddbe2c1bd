import { setImmediate } from 'node:timers/promises';

/** Milliseconds after which work lets others have the event loop. */
const longestStretch = 8;

/** Lets the event loop turn within long work: `if (turns.isDue) await turns.take()`. */
export class Turns {
  #last = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#last > longestStretch;
  }

  async take(): Promise<void> {
    await setImmediate();
    this.#last = performance.now();
  }
}
