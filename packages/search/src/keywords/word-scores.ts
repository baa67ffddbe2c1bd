import type { Database, Statement } from 'better-sqlite3';

/** What one word, or several in a row, adds to the BM25 score of each passage that has it. */
export interface WordScores {
  readonly passages: readonly number[];
  /** One for each of `passages`. */
  readonly scores: readonly number[];
}

/** Scores kept, all forgotten together: about 16 bytes each. */
const mostRemembered = 500_000;

/**
 * Reads the parts that BM25 scores are sums of, each once until the index changes. FTS5 takes about a microsecond
 * for each passage it scores, a hundred times as long as adding up what is remembered.
 */
export class WordScoresReader {
  readonly #read: Statement;
  readonly #remembered = new Map<string, WordScores>();
  #size = 0;

  constructor(db: Database) {
    this.#read = db
      .prepare('SELECT rowid, -bm25(passage_words) FROM passage_words WHERE passage_words MATCH ?')
      .raw();
  }

  remembers(text: string): boolean {
    return this.#remembered.has(text);
  }

  /** @param text without quotation marks. */
  of(text: string): WordScores {
    const known = this.#remembered.get(text);
    if (known) return known;
    const rows = this.#read.all(`"${text}"`) as [passage: number, score: number][];
    const read = { passages: rows.map(([passage]) => passage), scores: rows.map(([, score]) => score) };
    if (this.#size + rows.length > mostRemembered) this.forget();
    this.#remembered.set(text, read);
    this.#size += rows.length;
    return read;
  }

  forget(): void {
    this.#remembered.clear();
    this.#size = 0;
  }
}
