const newline = 0x0a;

/** Cuts a stream of bytes into lines. A line that grows too long is thrown away as it comes, never kept. */
export class LineSplitter {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #length = 0;

  /** @param limit longest line in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The lines that end in `chunk`, without their line feed; `undefined` stands for one that was too long. */
  *push(chunk: Buffer): Generator<Buffer | undefined> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      yield this.#take();
    }
    this.#keep(chunk.subarray(start));
  }

  /** The last line, where the stream does not end in a line feed. */
  *end(): Generator<Buffer | undefined> {
    if (this.#length > 0) yield this.#take();
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#limit) this.#parts.push(part);
    else this.#parts = [];
  }

  #take(): Buffer | undefined {
    const line = this.#length <= this.#limit ? Buffer.concat(this.#parts) : undefined;
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
