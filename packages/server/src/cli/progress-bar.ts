import type { IndexProgress } from '@kettle/search';

const width = 24;
/** Least time between two lines where there is no terminal to draw on, in milliseconds. */
const lineInterval = 2000;

/** Shows progress on a stream: a bar that is drawn over on a terminal, now and then a line elsewhere. */
export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #drawn = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show({ done, total, message }: IndexProgress): void {
    if (this.#stream.isTTY) {
      const filled = total === 0 ? width : Math.round((width * done) / total);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(width - filled)}`;
      // Cut, not wrapped: a line that wraps can't be drawn over.
      this.#stream.write(`\r\x1b[K${`${bar} ${message}`.slice(0, (this.#stream.columns ?? 80) - 1)}`);
      this.#drawn = true;
      return;
    }
    const now = performance.now();
    if (now - this.#writtenAt < lineInterval) return;
    this.#writtenAt = now;
    this.#stream.write(`${message}\n`);
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.#drawn) this.#stream.write('\r\x1b[K');
    this.#drawn = false;
  }
}
