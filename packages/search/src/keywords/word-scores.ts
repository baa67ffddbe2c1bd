import type { Database, Statement } from 'better-sqlite3';
import { PassageScores } from './passage-scores.js';

/** What one word, or several in a row, adds to the BM25 score of each passage that has it. */
interface WordScores {
  /** Where in the table the passages stand, none twice. */
  readonly places: Uint32Array;
  /** One for each of `places`. */
  readonly scores: Float64Array;
}

/** What was read of one word. */
interface ReadScores {
  /** Rows in `passages`, ascending. */
  readonly passages: number[];
  /** One for each of `passages`. */
  readonly scores: number[];
}

/**
 * Passages that are scored without a turn of the event loop. FTS5 counts a word's passages anew for each slice, so
 * that small ones would cost more than they are worth.
 */
const passagesAtOnce = 5000;

/** Scores kept, all forgotten together: 12 bytes each, and about 100 for each passage among them. */
const mostRemembered = 2_000_000;

/**
 * The parts that BM25 scores are sums of, each read once until the index changes. FTS5 takes a microsecond or more for
 * each passage that it scores, a hundred times as long as adding up what is remembered.
 */
export class WordScoresTable {
  readonly #slice: Statement;
  readonly #words = new Map<string, WordScores>();
  /** Passages that have one of the words (rows in `passages`), and where in this list they stand. */
  #passages: number[] = [];
  #placeOf = new Map<number, number>();
  #remembered = 0;

  constructor(db: Database) {
    this.#slice = db
      .prepare(
        `SELECT rowid, -bm25(passage_words) FROM passage_words WHERE passage_words MATCH ? AND rowid > ?
         ORDER BY rowid LIMIT ?`,
      )
      .raw();
  }

  has(word: string): boolean {
    return this.#words.has(word);
  }

  /**
   * Reads what a word adds, a slice at each step, for others to have their turn in between. Nothing is kept before
   * {@link keep}: only who reads can tell whether all slices were of one state of the index.
   *
   * @param word without quotation marks.
   */
  *read(word: string): Generator<void, ReadScores> {
    const passages: number[] = [];
    const scores: number[] = [];
    for (;;) {
      const slice = this.#slice.all(`"${word}"`, passages.at(-1) ?? 0, passagesAtOnce) as [number, number][];
      for (const row of slice) {
        passages.push(row[0]);
        scores.push(row[1]);
      }
      if (slice.length < passagesAtOnce) return { passages, scores };
      yield;
    }
  }

  /** Remembers what was read of a word. */
  keep(word: string, { passages, scores }: ReadScores): void {
    if (this.has(word)) return;
    const places = new Uint32Array(passages.length);
    for (let index = 0; index < places.length; index++) places[index] = this.#place(passages[index]!);
    this.#words.set(word, { places, scores: new Float64Array(scores) });
    this.#remembered += places.length;
  }

  /** How many passages have the word, which must be there. */
  passagesWith(word: string): number {
    return this.#words.get(word)!.places.length;
  }

  /** What the words add up to, in the order given. They must be there. */
  sum(words: readonly string[]): PassageScores {
    const sums = new Float64Array(this.#passages.length);
    for (const word of words) {
      const { places, scores } = this.#words.get(word)!;
      for (let index = 0; index < places.length; index++) sums[places[index]!]! += scores[index]!;
    }
    return new PassageScores(sums, this.#passages, this.#placeOf);
  }

  /** Forgets everything when it has become too much. */
  trim(): void {
    if (this.#remembered > mostRemembered) this.forget();
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
