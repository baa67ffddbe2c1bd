import type { Database, Statement } from 'better-sqlite3';
import { KeywordIndex } from '../keywords/keyword-index.js';
import { ChangeLog } from './change-log.js';
import { ContentTable } from './content-table.js';
import { DocumentTable } from './document-table.js';
import type { MetaKey, MetaValues } from './meta.js';
import { PassageFinder } from './passage-finder.js';

/**
 * The truth about an index: documents, passages, embeddings and their history, in one SQLite file. What is
 * here only reads, and is short; a {@link CatalogWriter} writes. What it throws are SQLite's errors, for
 * `asSearchError` to translate.
 */
export class Catalog {
  readonly path: string;
  readonly documents: DocumentTable;
  readonly contents: ContentTable;
  readonly passages: PassageFinder;
  readonly keywords: KeywordIndex;
  readonly changes: ChangeLog;
  readonly #db: Database;
  readonly #getMeta: Statement;
  readonly #savedRevision: Statement;

  /** Takes over a database whose schema is there. */
  constructor(db: Database) {
    this.#db = db;
    this.path = db.name;
    this.documents = new DocumentTable(db);
    this.contents = new ContentTable(db);
    this.passages = new PassageFinder(db);
    this.keywords = new KeywordIndex(db);
    this.changes = new ChangeLog(db);
    this.#getMeta = db.prepare('SELECT value FROM meta WHERE key = ?').pluck();
    this.#savedRevision = db.prepare('SELECT revision FROM stores WHERE backend = ?').pluck();
  }

  get(key: MetaKey): string | undefined {
    return this.#getMeta.get(key) as string | undefined;
  }

  /** Those of `values` that it does not say yet: each write wakes all processes that follow. */
  news(values: MetaValues): MetaValues {
    return Object.fromEntries(
      Object.entries(values).filter(([key, value]) => this.get(key as MetaKey) !== value),
    );
  }

  /** The state that a store was last saved in; `undefined` when it never was. */
  savedRevision(backend: string): number | undefined {
    return this.#savedRevision.get(backend) as number | undefined;
  }

  /** Runs `work` on one state of the catalog, whatever is written meanwhile. */
  snapshot<T>(work: () => T): T {
    return this.#db.transaction(work)();
  }

  /** Another number whenever another connection has written. */
  dataVersion(): number {
    return this.#db.pragma('data_version', { simple: true }) as number;
  }

  close(): void {
    this.keywords.close();
    this.#db.close();
  }
}
