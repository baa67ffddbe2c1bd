import type { Database, Statement } from 'better-sqlite3';
import type { Passage } from '../passages/split-passages.js';

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

/** The documents and their passages. */
export class DocumentTable {
  readonly #db: Database;
  readonly #all: Statement;
  readonly #upsert: Statement;
  readonly #touch: Statement;
  readonly #rename: Statement;
  readonly #remove: Statement;
  readonly #lastPassage: Statement;
  readonly #addPassage: Statement;
  readonly #removePassages: Statement;
  readonly #counts: Statement;
  readonly #passageCounts: Statement;

  constructor(db: Database) {
    this.#db = db;
    this.#all = db.prepare(
      'SELECT id, name, hash, stamp, size, mime_type AS mimeType, splitter, warning FROM documents ORDER BY name',
    );
    this.#upsert = db.prepare(
      `INSERT INTO documents (name, hash, stamp, size, mime_type, splitter, warning)
       VALUES ($name, $hash, $stamp, $size, $mimeType, $splitter, $warning)
       ON CONFLICT (name) DO UPDATE SET hash = $hash, stamp = $stamp, size = $size, mime_type = $mimeType,
         splitter = $splitter, warning = $warning
       RETURNING id`,
    );
    this.#touch = db.prepare('UPDATE documents SET stamp = ? WHERE id = ?');
    this.#rename = db.prepare('UPDATE documents SET name = ?, stamp = ? WHERE id = ?');
    this.#remove = db.prepare('DELETE FROM documents WHERE id = ?');
    this.#lastPassage = db.prepare('SELECT max(id) FROM passages WHERE document = ?').pluck();
    this.#addPassage = db.prepare(
      `INSERT INTO passages (document, ordinal, start, "end", context, text, content)
       VALUES ($document, $ordinal, $start, $end, $context, $text, (SELECT id FROM contents WHERE hash = $content))`,
    );
    this.#removePassages = db.prepare('DELETE FROM passages WHERE document = ? AND id <= ?');
    this.#counts = db.prepare(
      'SELECT (SELECT count(*) FROM documents) AS documents, (SELECT count(*) FROM passages) AS passages',
    );
    this.#passageCounts = db.prepare(
      'SELECT name, count(passages.id) AS passages FROM documents LEFT JOIN passages ON document = documents.id GROUP BY name',
    );
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

  /** Puts a document in its new state, whole: its passages' contents must be there. */
  put(state: DocumentState, passages: readonly Passage[]): void {
    this.#db.transaction(() => {
      const { id } = this.#upsert.get(state) as { id: number };
      const last = this.#lastPassage.get(id) as number | null;
      // New ones first: a content that stays is then never without a passage, and the stores hear nothing of it.
      for (const passage of passages) this.#addPassage.run({ ...passage, document: id });
      if (last !== null) this.#removePassages.run(id, last);
    })();
  }

  /** The content is the same; only what the system says of the file changed. */
  touch(id: number, stamp: string): void {
    this.#touch.run(stamp, id);
  }

  rename(id: number, name: string, stamp: string): void {
    this.#rename.run(name, stamp, id);
  }

  /** Removes documents and their passages. */
  remove(ids: readonly number[]): void {
    this.#db.transaction(() => {
      for (const id of ids) this.#remove.run(id);
    })();
  }
}
