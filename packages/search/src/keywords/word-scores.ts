import type { Database, Statement } from 'better-sqlite3';
import { PassageScores } from './passage-scores.js';

/** What one word, or several in a row, adds to the BM25 score of each passage that has it. */
interface WordScores {
  /** Where in the table the passages stand, none twice. */
  readonly places: Uint32Array;
  /** One for each of `places`. */
  readonly scores: Float64Array;
}

/** Scores kept, all forgotten together: 12 bytes each, and about 100 for each passage among them. */
const mostRemembered = 2_000_000;

/**
 * The parts that BM25 scores are sums of, each read once until the index changes. FTS5 takes a microsecond or more for
 * each passage that it scores, a hundred times as long as adding up what is remembered.
 */
export class WordScoresTable {
  readonly #read: Statement;
  readonly #words = new Map<string, WordScores>();
  /** Passages that have one of the words (rows in `passages`), and where in this list they stand. */
  #passages: number[] = [];
  #placeOf = new Map<number, number>();
  #remembered = 0;

  constructor(db: Database) {
    this.#read = db
      .prepare('SELECT rowid, -bm25(passage_words) FROM passage_words WHERE passage_words MATCH ?')
      .raw();
  }

  has(word: string): boolean {
    return this.#words.has(word);
  }

  /** @param word without quotation marks. */
  read(word: string): void {
    const rows = this.#read.all(`"${word}"`) as [passage: number, score: number][];
    this.#words.set(word, {
      places: Uint32Array.from(rows, ([passage]) => this.#place(passage)),
      scores: Float64Array.from(rows, ([, score]) => score),
    });
    this.#remembered += rows.length;
  }

  /** What the words add up to, in the order given; those that are not there are read. */
  sum(words: readonly string[]): PassageScores {
    for (const word of words) if (!this.has(word)) this.read(word);
    const sums = new Float64Array(this.#passages.length);
    for (const word of words) {
      const { places, scores } = this.#words.get(word)!;
      for (let index = 0; index < places.length; index++) sums[places[index]!]! += scores[index]!;
    }
    const found = new PassageScores(sums, this.#passages, this.#placeOf);
    if (this.#remembered > mostRemembered) this.forget();
    return found;
  }

  /** Leaves alone what was given out. */
  forget(): void {
    this.#words.clear();
    this.#passages = [];
    this.#placeOf = new Map();
    this.#remembered = 0;
  }

  #place(passage: number): number {
    const known = this.#placeOf.get(passage);
    if (known !== undefined) return known;
    const place = this.#passages.push(passage) - 1;
    this.#placeOf.set(passage, place);
    return place;
  }
}
