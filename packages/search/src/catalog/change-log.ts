import type { Database, Statement } from 'better-sqlite3';
import type { IndexChange } from '../search-index.js';

/** Changes that are read in one go. */
const changesAtOnce = 2000;

/** What happened to the catalog, in order: how stores and other processes follow it without comparing everything. */
export class ChangeLog {
  readonly #revision: Statement;
  readonly #first: Statement;
  readonly #contents: Statement;
  readonly #documents: Statement;

  constructor(db: Database) {
    this.#revision = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'changes'").pluck();
    this.#first = db.prepare('SELECT min(revision) FROM changes').pluck();
    this.#contents = db
      .prepare(
        "SELECT DISTINCT subject FROM changes WHERE revision > ? AND revision <= ? AND kind IN ('live', 'dead')",
      )
      .pluck();
    this.#documents = db.prepare(
      "SELECT kind, subject FROM changes WHERE revision > ? AND kind IN ('added', 'changed', 'removed') ORDER BY revision",
    );
  }

  /** The latest change; rises with every change, across processes and restarts. */
  revision(): number {
    return (this.#revision.get() as number | undefined) ?? 0;
  }

  /**
   * Contents that became live or dead after `revision`, in pages, each read when it is asked for; `undefined` when
   * the log does not reach back that far. A content may come twice.
   */
  contentsSince(revision: number): Generator<string[]> | undefined {
    return this.#reaches(revision) ? this.#contentPages(revision, this.revision()) : undefined;
  }

  *#contentPages(from: number, to: number): Generator<string[]> {
    for (let after = from; after < to; after += changesAtOnce) {
      const page = this.#contents.all(after, Math.min(to, after + changesAtOnce)) as string[];
      if (page.length > 0) yield page;
    }
  }

  /** The documents that differ from the state at `revision`. All lists are empty when that is not known. */
  documentsSince(revision: number): IndexChange {
    const rows = this.#reaches(revision)
      ? (this.#documents.all(revision) as { kind: 'added' | 'changed' | 'removed'; subject: string }[])
      : [];
    const states = new Map<string, { before: boolean; after: boolean }>();
    for (const { kind, subject } of rows) {
      const before = states.get(subject)?.before ?? kind !== 'added';
      states.set(subject, { before, after: kind !== 'removed' });
    }
    const names = (before: boolean, after: boolean) =>
      [...states]
        .filter(([, state]) => state.before === before && state.after === after)
        .map(([name]) => name);
    return { added: names(false, true), changed: names(true, true), removed: names(true, false) };
  }

  #reaches(revision: number): boolean {
    const first = this.#first.get() as number | null;
    return (
      revision <= this.revision() && (first === null ? revision === this.revision() : revision >= first - 1)
    );
  }
}
