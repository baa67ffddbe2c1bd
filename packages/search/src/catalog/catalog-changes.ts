import type { Database, Statement } from 'better-sqlite3';
import type { Passage } from '../passages/split-passages.js';
import type { DocumentState } from './document-table.js';
import type { Embedding } from './embedding.js';
import type { MetaValues } from './meta.js';

/** Unused embeddings are kept for passages that come back: this long, in seconds, … */
const keptSeconds = 30 * 24 * 3600;
/** … and no more of them than this, or than there are used ones. */
const keptAtLeast = 10_000;
/** So many changes are kept for those who follow; who lags further behind compares everything instead. */
const keptChanges = 50_000;

/** All that is ever written to a catalog. Each method is one transaction, however long it takes. */
export class CatalogChanges {
  readonly #db: Database;
  readonly #addContent: Statement;
  readonly #addVector: Statement;
  readonly #expire: Statement;
  readonly #upsert: Statement;
  readonly #touch: Statement;
  readonly #rename: Statement;
  readonly #remove: Statement;
  readonly #lastPassage: Statement;
  readonly #addPassage: Statement;
  readonly #removePassages: Statement;
  readonly #prune: Statement;
  readonly #saveStore: Statement;
  readonly #setMeta: Statement;
  /** Passages of documents that are still being brought, by the number of the bringing. */
  readonly #brought = new Map<number, Passage[]>();

  constructor(db: Database) {
    this.#db = db;
    this.#addContent = db.prepare(
      `INSERT INTO contents (hash, unused_since) VALUES (?, unixepoch())
       ON CONFLICT (hash) DO UPDATE SET unused_since = CASE uses WHEN 0 THEN unixepoch() END RETURNING id`,
    );
    this.#addVector = db.prepare('INSERT OR REPLACE INTO embeddings (content, vector) VALUES (?, ?)');
    this.#expire = db.prepare(
      `DELETE FROM contents WHERE id IN (
         SELECT id FROM contents WHERE uses = 0 AND unused_since < unixepoch() - ?
         UNION SELECT id FROM (SELECT id FROM contents WHERE uses = 0 ORDER BY unused_since DESC LIMIT -1
           OFFSET max(?, (SELECT count(*) FROM contents WHERE uses > 0)))
       )`,
    );
    this.#upsert = db.prepare(
      `INSERT INTO documents (name, hash, stamp, size, mime_type, splitter, warning, passages)
       VALUES ($name, $hash, $stamp, $size, $mimeType, $splitter, $warning, $passages)
       ON CONFLICT (name) DO UPDATE SET hash = $hash, stamp = $stamp, size = $size, mime_type = $mimeType,
         splitter = $splitter, warning = $warning, passages = $passages
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
    this.#prune = db.prepare(
      `DELETE FROM changes WHERE revision <= (SELECT seq FROM sqlite_sequence WHERE name = 'changes') - ?`,
    );
    this.#saveStore = db.prepare(
      'INSERT OR REPLACE INTO stores (backend, revision, saved_at) VALUES (?, ?, ?)',
    );
    this.#setMeta = db.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
  }

  /** Saves embeddings, unused as yet. They outlive a crash from here on. */
  addEmbeddings(embeddings: readonly Embedding[]): void {
    this.#db.transaction(() => {
      for (const { id, vector } of embeddings) {
        const content = this.#addContent.get(id) as { id: number };
        this.#addVector.run(content.id, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
      }
    })();
  }

  /** Keeps passages of a document that comes in pieces. Nothing is written yet. */
  bring(bringing: number, passages: readonly Passage[]): void {
    const before = this.#brought.get(bringing);
    if (before === undefined) this.#brought.set(bringing, [...passages]);
    else for (const passage of passages) before.push(passage);
  }

  /** Puts a document in its new state, whole, with the passages brought: their contents must be there. */
  put(state: DocumentState, bringing: number): void {
    const passages = this.#brought.get(bringing) ?? [];
    this.#brought.delete(bringing);
    this.#db.transaction(() => {
      const { id } = this.#upsert.get({ ...state, passages: passages.length }) as { id: number };
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

  /** Lets go of embeddings that were not used for long or are too many, and of changes of long ago. */
  tidy(): void {
    this.#expire.run(keptSeconds, keptAtLeast);
    this.#prune.run(keptChanges);
  }

  /** Notes that a store holds exactly the contents that were live at `revision`, and keeps them. */
  storeSaved(backend: string, revision: number): void {
    this.#saveStore.run(backend, revision, new Date().toISOString());
  }

  set(values: MetaValues): void {
    this.#db.transaction(() => {
      for (const [key, value] of Object.entries(values)) this.#setMeta.run(key, value);
    })();
  }
}
