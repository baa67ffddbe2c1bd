import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

/** Requests that were read and are not yet answered. Clients should not use an id twice at once, but may. */
export class InFlight {
  readonly #counts = new Map<RequestId, number>();
  #size = 0;
  #waiting: { readonly limit: number; readonly resolve: () => void }[] = [];

  get size(): number {
    return this.#size;
  }

  has(id: RequestId): boolean {
    return this.#counts.has(id);
  }

  add(id: RequestId): void {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.#size += 1;
  }

  /** The request was answered, or will not be. An id that is not there is passed over. */
  remove(id: RequestId): void {
    const count = this.#counts.get(id);
    if (count === undefined) return;
    if (count === 1) this.#counts.delete(id);
    else this.#counts.set(id, count - 1);
    this.#size -= 1;
    this.#wake();
  }

  clear(): void {
    this.#counts.clear();
    this.#size = 0;
    this.#wake();
  }

  /** Resolves when no more than `limit` requests are left. */
  atMost(limit: number): Promise<void> {
    if (this.#size <= limit) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ limit, resolve }));
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    const ready = this.#waiting.filter(({ limit }) => this.#size <= limit);
    this.#waiting = this.#waiting.filter(({ limit }) => this.#size > limit);
    for (const { resolve } of ready) resolve();
  }
}
