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

export interface IndexedDocument extends Pick<DocumentRow, 'stamp'> {
  readonly passages: number;
}

export type DocumentState = Omit<DocumentRow, 'id'>;

/** Reads the documents. */
export class DocumentTable {
  readonly #all: Statement;
  readonly #counts: Statement;
  readonly #indexed: Statement;

  constructor(db: Database) {
    this.#all = db.prepare(
      'SELECT id, name, hash, stamp, size, mime_type AS mimeType, splitter, warning FROM documents ORDER BY name',
    );
    this.#counts = db.prepare(
      'SELECT count(*) AS documents, coalesce(sum(passages), 0) AS passages FROM documents',
    );
    this.#indexed = db.prepare('SELECT name, stamp, passages FROM documents');
  }

  all(): DocumentRow[] {
    return this.#all.all() as DocumentRow[];
  }

  counts(): { documents: number; passages: number } {
    return this.#counts.get() as { documents: number; passages: number };
  }

  /** By name: the file's stamp when it was read, and the number of passages. */
  indexed(): Map<string, IndexedDocument> {
    const rows = this.#indexed.all() as ({ name: string } & IndexedDocument)[];
    return new Map(rows.map((row) => [row.name, row]));
  }
}
