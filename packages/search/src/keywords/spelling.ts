import BetterSqlite, { type Database, type Statement } from 'better-sqlite3';
import { keywordTokenizer } from '../catalog/schema.js';
import { editDistance } from './edit-distance.js';

/** Shorter words have too many neighbours; longer ones may have two errors. The rule that Algolia's engine uses. */
const lettersForOneError = 4;
const lettersForTwoErrors = 8;

/** Finds what a misspelt word was meant to be among the words of the documents. */
export class Spelling {
  readonly #startingWith: Statement;
  readonly #stems = new Stems();

  constructor(db: Database) {
    db.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, passage_words, row)');
    this.#startingWith = db.prepare(
      `SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ?
         AND length(term) BETWEEN ? AND ? AND term NOT GLOB '*[0-9]*'`,
    );
  }

  /**
   * The stem in the documents that is nearest to the word's and begins with the same letter: of equally near ones
   * the most frequent, then the first by code units. None for numbers and codes: those are not words to guess.
   */
  nearest(word: string): string | undefined {
    if (word.length < lettersForOneError || !/^[\p{L}\p{M}]+$/u.test(word)) return undefined;
    const stem = this.#stems.of(word);
    if (stem === undefined) return undefined;
    const most = word.length >= lettersForTwoErrors ? 2 : 1;
    const letter = String.fromCodePoint(stem.codePointAt(0)!);
    const next = String.fromCodePoint(stem.codePointAt(0)! + 1);
    const { length } = [...stem];
    const candidates = this.#startingWith.all(letter, next, length - most, length + most);
    let best: { term: string; doc: number; distance: number } | undefined;
    for (const { term, doc } of candidates as { term: string; doc: number }[]) {
      const distance = editDistance(stem, term, most);
      if (distance > most) continue;
      if (best === undefined || distance < best.distance || (distance === best.distance && doc > best.doc))
        best = { term, doc, distance };
    }
    return best?.term;
  }

  close(): void {
    this.#stems.close();
  }
}

/** Words as the keyword index keeps them: SQLite's own tokenizer, run on a database that lives in memory. */
class Stems {
  readonly #db = new BetterSqlite(':memory:');
  readonly #add: Statement;
  readonly #read: Statement;
  readonly #forget: Statement;

  constructor() {
    this.#db.exec(
      `CREATE VIRTUAL TABLE words USING fts5 (word, tokenize = '${keywordTokenizer}');
       CREATE VIRTUAL TABLE stems USING fts5vocab (words, instance)`,
    );
    this.#add = this.#db.prepare('INSERT INTO words (word) VALUES (?)');
    this.#read = this.#db.prepare('SELECT term FROM stems').pluck();
    this.#forget = this.#db.prepare('DELETE FROM words');
  }

  of(word: string): string | undefined {
    this.#add.run(word);
    const stem = this.#read.get() as string | undefined;
    this.#forget.run();
    return stem;
  }

  close(): void {
    this.#db.close();
  }
}
