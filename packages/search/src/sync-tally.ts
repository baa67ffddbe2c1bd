import type { FileNotice, SyncReport } from './sync-report.js';

const mostNamed = 100;

type Part = 'reading' | 'splitting' | 'embedding' | 'storing';

/** Counts what a synchronisation does. */
export class SyncTally {
  added = 0;
  changed = 0;
  renamed = 0;
  removed = 0;
  unchanged = 0;
  embedded = 0;
  reused = 0;
  readonly #skipped: FileNotice[] = [];
  readonly #failed: FileNotice[] = [];
  readonly #warnings: FileNotice[] = [];
  #skippedCount = 0;
  readonly #started = performance.now();
  readonly #milliseconds = { reading: 0, splitting: 0, embedding: 0, storing: 0 };

  skip(notice: FileNotice): void {
    this.#skippedCount++;
    note(this.#skipped, notice);
  }

  fail(notice: FileNotice): void {
    note(this.#failed, notice);
  }

  warn(notice: FileNotice): void {
    note(this.#warnings, notice);
  }

  get hasChanges(): boolean {
    return this.added + this.changed + this.renamed + this.removed > 0;
  }

  get incomplete(): boolean {
    return this.#failed.length > 0;
  }

  /** Runs `work` on the clock of one part. */
  async time<T>(part: Part, work: () => Promise<T> | T): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.#milliseconds[part] += performance.now() - start;
    }
  }

  report(passages: number): SyncReport {
    const { added, changed, renamed, removed, unchanged, embedded, reused } = this;
    const milliseconds = { ...this.#milliseconds, total: performance.now() - this.#started };
    return Object.freeze({
      added,
      changed,
      renamed,
      removed,
      unchanged,
      passages,
      embedded,
      reused,
      skipped: this.#skipped,
      skippedCount: this.#skippedCount,
      failed: this.#failed,
      warnings: this.#warnings,
      milliseconds,
    });
  }
}

function note(list: FileNotice[], notice: FileNotice): void {
  if (list.length < mostNamed) list.push(notice);
}
