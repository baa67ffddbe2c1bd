/** Lets one loop sleep until something happens or time is up. */
export class Wake {
  #pending = false;
  #end: (() => void) | undefined;

  /** Ends the current sleep, or the next one before it begins. */
  wake(): void {
    this.#pending = true;
    this.#end?.();
  }

  /** With `background`, the sleep does not keep the process alive. */
  async sleep(milliseconds: number, background: boolean): Promise<void> {
    if (!this.#pending) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        if (background) timer.unref();
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#end = undefined;
    this.#pending = false;
  }
}
