const words =
  'apple pear quince medlar plum sloe kettle spout lid handle steam whistle cup saucer spoon milk sugar lemon honey scone butter jam toast cheese chutney pickle river bridge lane market'.split(
    ' ',
  );

/** Repeatable random choices (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from 0 to below `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * limit);
  }

  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  sentence(length: number): string {
    return `${Array.from({ length }, () => this.pick(words)).join(' ')}.`;
  }

  /** A few paragraphs; one in five is a stock one, so that documents share texts. */
  document(): string {
    const paragraphs = Array.from({ length: this.below(5) }, () => {
      if (this.below(5) === 0)
        return `Stock text ${this.below(3)}. ${'The kettle is on the hob. '.repeat(10).trim()}`;
      return this.sentence(10 + this.below(60));
    });
    return paragraphs.join('\n\n');
  }
}
