/** What the time of a build goes to. Where both go on at once, embedding counts: it is what the rest waits for. */
export interface Split {
  readonly embedding: number;
  readonly storing: number;
  /** Neither: reading, splitting, and the catalog. */
  readonly rest: number;
}

type Kind = 'embedding' | 'storing';

/** Watches calls that overlap and says, of every moment, what was going on. */
export class ActivityClock {
  readonly #active: Record<Kind, number> = { embedding: 0, storing: 0 };
  readonly #spent: Record<Kind | 'rest', number> = { embedding: 0, storing: 0, rest: 0 };
  readonly #now: () => number;
  #since: number;

  /** Starts at once. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  async during<T>(kind: Kind, work: () => Promise<T>): Promise<T> {
    this.#advance();
    this.#active[kind]++;
    try {
      return await work();
    } finally {
      this.#advance();
      this.#active[kind]--;
    }
  }

  /** Milliseconds so far; the three add up to the time since the start. */
  split(): Split {
    this.#advance();
    return { ...this.#spent };
  }

  #advance(): void {
    const now = this.#now();
    const kind = this.#active.embedding > 0 ? 'embedding' : this.#active.storing > 0 ? 'storing' : 'rest';
    this.#spent[kind] += now - this.#since;
    this.#since = now;
  }
}
