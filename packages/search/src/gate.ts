/** Something that others wait for: closed at first, then open, or failed until it is tried again. */
export class Gate {
  #state: 'closed' | 'open' | 'failed' = 'closed';
  #reason: unknown;
  #waiting: { resolve: () => void; reject: (reason: unknown) => void }[] = [];

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Resolves once open; rejects while failed. */
  wait(): Promise<void> {
    if (this.#state === 'open') return Promise.resolve();
    if (this.#state === 'failed') return Promise.reject(this.#reason);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  open(): void {
    this.#state = 'open';
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  fail(reason: unknown): void {
    this.#state = 'failed';
    this.#reason = reason;
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  /** Lets callers wait again after a failure. */
  retry(): void {
    if (this.#state === 'failed') this.#state = 'closed';
  }

  /** Makes callers wait from now on. */
  close(): void {
    this.#state = 'closed';
  }
}
