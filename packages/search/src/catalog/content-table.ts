import type { Database, Statement } from 'better-sqlite3';

/** Distinct embedded texts and their vectors. A content is live while a passage has its text. */
export class ContentTable {
  readonly #known: Statement;
  readonly #vectors: Statement;
  readonly #livePage: Statement;
  readonly #liveAmong: Statement;
  readonly #counts: Statement;

  constructor(db: Database) {
    this.#known = db
      .prepare('SELECT hash FROM contents WHERE hash IN (SELECT value FROM json_each(?))')
      .pluck();
    this.#vectors = db.prepare(
      `SELECT hash, vector FROM contents JOIN embeddings ON content = contents.id
       WHERE hash IN (SELECT value FROM json_each(?))`,
    );
    this.#livePage = db.prepare(
      'SELECT id, hash FROM contents WHERE id > ? AND uses > 0 ORDER BY id LIMIT ?',
    );
    this.#liveAmong = db
      .prepare('SELECT hash FROM contents WHERE uses > 0 AND hash IN (SELECT value FROM json_each(?))')
      .pluck();
    this.#counts = db.prepare(
      'SELECT count(*) FILTER (WHERE uses > 0) AS live, count(*) FILTER (WHERE uses = 0) AS spare FROM contents',
    );
  }

  /** Which of these have an embedding. */
  known(ids: readonly string[]): Set<string> {
    return new Set(this.#known.all(JSON.stringify(ids)) as string[]);
  }

  /** Vectors by content; those that are not there are left out. */
  vectors(ids: readonly string[]): Map<string, Float32Array> {
    const rows = this.#vectors.all(JSON.stringify(ids)) as { hash: string; vector: Buffer }[];
    return new Map(rows.map((row) => [row.hash, toVector(row.vector)]));
  }

  /** Live contents in pages, each read when it is asked for: what changes meanwhile may or may not be in. */
  *livePages(size = 2000): Generator<string[]> {
    for (let last = 0; ; ) {
      const rows = this.#livePage.all(last, size) as { id: number; hash: string }[];
      if (rows.length === 0) return;
      last = rows.at(-1)!.id;
      yield rows.map((row) => row.hash);
    }
  }

  liveAmong(ids: readonly string[]): Set<string> {
    return new Set(this.#liveAmong.all(JSON.stringify(ids)) as string[]);
  }

  counts(): { live: number; spare: number } {
    return this.#counts.get() as { live: number; spare: number };
  }
}

/** Copied, because SQLite's bytes need not lie at a multiple of four. */
function toVector({ buffer, byteOffset, byteLength }: Buffer): Float32Array {
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
