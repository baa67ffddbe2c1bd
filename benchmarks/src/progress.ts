/** Where progress goes: the terminal's error output, so that standard output keeps to the results. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const barWidth = 20;
/** Without a terminal, milliseconds between two lines about the same step. */
const lineInterval = 10_000;

/** Tells the person who waits how far the run is: one line that changes on a terminal, else a line now and then. */
export class Progress {
  readonly #output: ProgressOutput;
  readonly #total: number;
  readonly #started = Date.now();
  #done = 0;
  #title = '';
  #lastLine = 0;

  /** @param total number of steps to come */
  constructor(output: ProgressOutput, total: number) {
    this.#output = output;
    this.#total = total;
  }

  /** Begins a step. */
  begin(title: string): void {
    this.#title = title;
    this.#show('', true);
  }

  /** What goes on inside the step. */
  tell(message: string): void {
    this.#show(message, false);
  }

  /** Ends the step. */
  end(): void {
    this.#done = Math.min(this.#total, this.#done + 1);
  }

  /** A line that stays. */
  note(text: string): void {
    this.#clear();
    this.#output.write(`${text}\n`);
  }

  /** Takes the changing line away. */
  close(): void {
    this.#clear();
  }

  #show(message: string, stepChanged: boolean): void {
    const seconds = Math.round((Date.now() - this.#started) / 1000);
    const percent = `${Math.round((100 * this.#done) / this.#total)} %`.padStart(5);
    const text = [this.#title, message].filter(Boolean).join(': ');
    if (this.#output.isTTY) {
      const filled = Math.round((barWidth * this.#done) / this.#total);
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
      const line = `${bar}${percent} ${seconds} s  ${text}`;
      this.#clear();
      this.#output.write(line.slice(0, (this.#output.columns ?? 80) - 1));
    } else if (stepChanged || Date.now() - this.#lastLine > lineInterval) {
      this.#lastLine = Date.now();
      this.#output.write(`bench:${percent} ${seconds} s  ${text}\n`);
    }
  }

  #clear(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[2K');
  }
}
