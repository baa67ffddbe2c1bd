import type { Database, Statement } from 'better-sqlite3';

/** A passage with its document. */
export interface PassageRow {
  /** Content hash: the vector's id. */
  readonly content: string;
  readonly document: string;
  readonly mimeType: string;
  readonly ordinal: number;
  readonly start: number;
  readonly end: number;
  readonly context: string;
  readonly text: string;
}

const joined = `passages JOIN contents ON contents.id = passages.content
  JOIN documents ON documents.id = passages.document`;

/** Reads passages by content and by document. */
export class PassageFinder {
  readonly #byContent: Statement;
  readonly #contentsOf: Statement;

  constructor(db: Database) {
    // With min(), SQLite takes the other columns from the row that has the minimum.
    this.#byContent = db.prepare(
      `SELECT contents.hash AS content, documents.name AS document, mime_type AS mimeType,
         min(ordinal) AS ordinal, start, "end", context, passages.text AS text
       FROM ${joined} WHERE contents.hash IN (SELECT value FROM json_each(?))
       GROUP BY passages.document, passages.content ORDER BY documents.name, ordinal`,
    );
    // A prefix is a range of names: `a/` to just before `a0`, the next code point after the slash.
    this.#contentsOf = db
      .prepare(
        `SELECT DISTINCT contents.hash FROM json_each(?) AS wanted
         JOIN documents ON documents.name = wanted.value
           OR (wanted.value LIKE '%/' AND documents.name >= wanted.value
               AND documents.name < substr(wanted.value, 1, length(wanted.value) - 1) || '0')
         JOIN passages ON passages.document = documents.id
         JOIN contents ON contents.id = passages.content`,
      )
      .pluck();
  }

  /** Passages with these contents: for each document and content the first, sorted by document and ordinal. */
  byContent(contents: readonly string[]): PassageRow[] {
    return this.#byContent.all(JSON.stringify(contents)) as PassageRow[];
  }

  /** Contents of the named documents and of those in the named folders (ending in `/`). */
  contentsOf(documents: readonly string[]): Set<string> {
    return new Set(this.#contentsOf.all(JSON.stringify(documents)) as string[]);
  }
}
