import type { Database, Statement } from 'better-sqlite3';
import { KeywordIndex } from '../keywords/keyword-index.js';
import { ChangeLog } from './change-log.js';
import { ContentTable } from './content-table.js';
import { DocumentTable } from './document-table.js';
import { PassageFinder } from './passage-finder.js';

/** What the catalog knows of itself. */
export type MetaKey =
  | 'model'
  | 'fingerprint'
  | 'dimensions'
  | 'corpus_id'
  /** Random: tells this index from another one of the same corpus. Moves with the catalog. */
  | 'index_id'
  | 'corpus_name'
  | 'corpus_directory'
  /** Device of the corpus folder when it was last read. */
  | 'corpus_device'
  /** When the catalog was last level with the folder, ISO 8601. */
  | 'synced_at'
  /** `no` while a writer has it open: found so at the next start, the writer died. */
  | 'closed_cleanly';

/**
 * The truth about an index: documents, passages, embeddings and their history, in one SQLite file. Its methods are
 * synchronous and short. What they throw are SQLite's errors, for `asSearchError` to translate.
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
  readonly #setMeta: Statement;
  readonly #saveStore: Statement;
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
    this.#setMeta = db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
    this.#saveStore = db.prepare(
      'INSERT OR REPLACE INTO stores (backend, revision, saved_at) VALUES (?, ?, ?)',
    );
    this.#savedRevision = db.prepare('SELECT revision FROM stores WHERE backend = ?').pluck();
  }

  get(key: MetaKey): string | undefined {
    return this.#getMeta.get(key) as string | undefined;
  }

  set(values: Partial<Record<MetaKey, string>>): void {
    this.#db.transaction(() => {
      for (const [key, value] of Object.entries(values)) this.#setMeta.run(key, value);
    })();
  }

  /** Notes that a store holds exactly the contents that were live at `revision`, and keeps them. */
  storeSaved(backend: string, revision: number): void {
    this.#saveStore.run(backend, revision, new Date().toISOString());
  }

  /** The state that a store was last saved in; `undefined` when it never was. */
  savedRevision(backend: string): number | undefined {
    return this.#savedRevision.get(backend) as number | undefined;
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
