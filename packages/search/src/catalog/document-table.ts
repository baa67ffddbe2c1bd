import type { Database, Statement } from 'better-sqlite3';

/** A document as the catalog knows it. */
export interface DocumentRow {
  readonly id: number;
  readonly name: string;
  readonly hash: string;
  readonly stamp: string;
  readonly size: number;
  readonly mimeType: string;
  readonly splitter: number;
  readonly warning: string | null;
}

export type DocumentState = Omit<DocumentRow, 'id'>;

/** Reads the documents. */
export class DocumentTable {
  readonly #all: Statement;
  readonly #counts: Statement;
  readonly #passageCounts: Statement;

  constructor(db: Database) {
    this.#all = db.prepare(
      'SELECT id, name, hash, stamp, size, mime_type AS mimeType, splitter, warning FROM documents ORDER BY name',
    );
    this.#counts = db.prepare(
      'SELECT count(*) AS documents, coalesce(sum(passages), 0) AS passages FROM documents',
    );
    this.#passageCounts = db.prepare('SELECT name, passages FROM documents');
  }

  all(): DocumentRow[] {
    return this.#all.all() as DocumentRow[];
  }

  counts(): { documents: number; passages: number } {
    return this.#counts.get() as { documents: number; passages: number };
  }

  /** Number of passages by document name. */
  passageCounts(): Map<string, number> {
    const rows = this.#passageCounts.all() as { name: string; passages: number }[];
    return new Map(rows.map((row) => [row.name, row.passages]));
  }
}
