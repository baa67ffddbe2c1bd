/** A token bucket per client: `burst` requests at once, then `perSecond`. */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /** @param now the time in milliseconds */
  constructor(perSecond: number, burst: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#now = now;
  }

  /** Counts one request. Gives 0 when it may pass, otherwise the seconds after which the next one may. */
  take(client: string): number {
    const tokens = this.#tokens(client);
    if (tokens < 1) return (1 - tokens) / this.#perSecond;
    this.#buckets.set(client, { tokens: tokens - 1, at: this.#now() });
    return 0;
  }

  /** Forgets clients that have been quiet long enough to have a full bucket again. */
  sweep(): void {
    for (const client of this.#buckets.keys()) {
      if (this.#tokens(client) >= this.#burst) this.#buckets.delete(client);
    }
  }

  #tokens(client: string): number {
    const bucket = this.#buckets.get(client);
    if (!bucket) return this.#burst;
    const refilled = ((this.#now() - bucket.at) / 1000) * this.#perSecond;
    return Math.min(this.#burst, bucket.tokens + refilled);
  }
}
