import type { Database, Statement } from 'better-sqlite3';

export interface Embedding {
  /** The content's hash: the id of the vector in every store. */
  readonly id: string;
  readonly vector: Float32Array;
}

/** Unused embeddings are kept for passages that come back: this long, in seconds, … */
const keptSeconds = 30 * 24 * 3600;
/** … and no more of them than this, or than there are used ones. */
const keptAtLeast = 10_000;

/** Distinct embedded texts and their vectors. A content is live while a passage has its text. */
export class ContentTable {
  readonly #db: Database;
  readonly #known: Statement;
  readonly #addContent: Statement;
  readonly #addVector: Statement;
  readonly #vectors: Statement;
  readonly #livePage: Statement;
  readonly #liveAmong: Statement;
  readonly #counts: Statement;
  readonly #expire: Statement;

  constructor(db: Database) {
    this.#db = db;
    this.#known = db
      .prepare('SELECT hash FROM contents WHERE hash IN (SELECT value FROM json_each(?))')
      .pluck();
    this.#addContent = db.prepare(
      `INSERT INTO contents (hash, unused_since) VALUES (?, unixepoch())
       ON CONFLICT (hash) DO UPDATE SET unused_since = CASE uses WHEN 0 THEN unixepoch() END RETURNING id`,
    );
    this.#addVector = db.prepare('INSERT OR REPLACE INTO embeddings (content, vector) VALUES (?, ?)');
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
    this.#expire = db.prepare(
      `DELETE FROM contents WHERE id IN (
         SELECT id FROM contents WHERE uses = 0 AND unused_since < unixepoch() - ?
         UNION SELECT id FROM (SELECT id FROM contents WHERE uses = 0 ORDER BY unused_since DESC LIMIT -1 OFFSET ?)
       )`,
    );
  }

  /** Which of these have an embedding. */
  known(ids: readonly string[]): Set<string> {
    return new Set(this.#known.all(JSON.stringify(ids)) as string[]);
  }

  /** Saves embeddings, unused as yet. They outlive a crash from here on. */
  add(embeddings: readonly Embedding[]): void {
    this.#db.transaction(() => {
      for (const { id, vector } of embeddings) {
        const content = this.#addContent.get(id) as { id: number };
        this.#addVector.run(content.id, toBytes(vector));
      }
    })();
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

  /** Lets go of embeddings that were not used for long, or are too many. */
  expire(): number {
    const { live, spare } = this.counts();
    if (spare === 0) return 0;
    return this.#expire.run(keptSeconds, Math.max(keptAtLeast, live)).changes;
  }
}

function toBytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Copied, because SQLite's bytes need not lie at a multiple of four. */
function toVector({ buffer, byteOffset, byteLength }: Buffer): Float32Array {
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
