import { setImmediate } from 'node:timers/promises';
import type { Database, Statement } from 'better-sqlite3';
import type { PassageScores } from './passage-scores.js';
import { queryWords } from './query-words.js';
import { Spelling } from './spelling.js';
import { WordScoresTable } from './word-scores.js';

/** What the words of a query say about contents. */
export interface KeywordRanking {
  /** Content hashes: the best first, ties by hash. */
  readonly best: readonly string[];
  /**
   * By content: the BM25 score as a share of the most that any text could get for the query, 0 to 1. Rare words
   * weigh more, and words that no document has count as missed. Left out is what no passage has any more.
   */
  shares(contents: readonly string[]): ReadonlyMap<string, number>;
}

/** The constants of FTS5's bm25(): a word scores at most its weight times k1 + 1, however often it occurs. */
const mostOverWeight = 1.2 + 1;
const leastWeight = 1e-6;
/**
 * Occurrences that one query may look at. Where its words have more, the most frequent ones, which tell the least,
 * are left out: that bounds the time in large folders, in any language, and changes nothing in small ones.
 */
const mostOccurrences = 10_000;
/** Misspelt words that are looked up for one query: each reads a part of the vocabulary. */
const mostCorrections = 4;
/** Passages read for each hit that is asked for: copies of one text are one hit. More only where that was too few. */
const passagesPerHit = 2;
/** Words remembered, all forgotten together. */
const mostRemembered = 10_000;
/** How often a query's words are read anew because the index changed meanwhile. */
const mostTries = 3;

interface Term {
  /** Of letters and digits, or several of those with something between them. */
  readonly text: string;
  /** Passages that have it, counted up to one above {@link mostOccurrences}. */
  readonly passages: number;
}

/** A passage and its content. */
type Bearer = [passage: number, content: string];

interface Terms {
  /** The rarest first. */
  readonly terms: readonly Term[];
  /** The most that any text could score: what shares are of. */
  readonly most: number;
}

/** Ranks contents by the words of a query (BM25), typing errors forgiven. */
export class KeywordIndex {
  readonly #db: Database;
  readonly #spelling: Spelling;
  readonly #scores: WordScoresTable;
  readonly #size: Statement;
  readonly #count: Statement;
  readonly #contentsOf: Statement;
  readonly #passagesOf: Statement;
  readonly #version: Statement;
  /** What was found out about words, and the state of the database in which it holds. */
  readonly #remembered = new Map<string, Term>();
  #rememberedAt: string | undefined;

  constructor(db: Database) {
    this.#db = db;
    this.#spelling = new Spelling(db);
    this.#scores = new WordScoresTable(db);
    // Changes with what this connection writes, and with what others do.
    this.#version = db
      .prepare("SELECT total_changes() || '/' || data_version FROM pragma_data_version")
      .pluck();
    this.#size = db.prepare('SELECT count(*) FROM passages').pluck();
    this.#count = db
      .prepare('SELECT count(*) FROM (SELECT 1 FROM passage_words WHERE passage_words MATCH ? LIMIT ?)')
      .pluck();
    this.#contentsOf = db
      .prepare(
        `SELECT passages.id, contents.hash FROM json_each(?) JOIN passages ON passages.id = value
         JOIN contents ON contents.id = passages.content`,
      )
      .raw();
    this.#passagesOf = db
      .prepare(
        `SELECT passages.id, contents.hash FROM json_each(?) JOIN contents ON contents.hash = value
         JOIN passages ON passages.content = contents.id`,
      )
      .raw();
  }

  /**
   * The best contents, at most `limit`; among `within` only, where that is given. What has to be read for it is read
   * a word at a time, and other work may go on in between.
   */
  async rank(query: string, limit: number, within?: ReadonlySet<string>): Promise<KeywordRanking> {
    for (let tries = 1; ; tries++) {
      this.#forgetIfChanged();
      const version = this.#rememberedAt;
      const { terms, most } = await this.#terms(query);
      for (const { text } of terms) {
        if (this.#scores.has(text)) continue;
        this.#scores.read(text);
        await setImmediate();
      }
      const scores = this.#scores.sum(terms.map(({ text }) => text));
      const best = this.#db.transaction(() => {
        // Numbers of passages may mean others now.
        const isStale = version !== this.#version.get();
        return isStale && tries < mostTries ? undefined : this.#best(scores, limit, within);
      })();
      if (best !== undefined) return { best, shares: (contents) => this.#shares(contents, scores, most) };
    }
  }

  close(): void {
    this.#spelling.close();
  }

  #best(scores: PassageScores, limit: number, within: ReadonlySet<string> | undefined): string[] {
    for (let take = limit * passagesPerHit; ; take *= 4) {
      const passages = scores.best(take);
      const found = new Map<string, number>();
      for (const [passage, content] of this.#contentsOf.all(JSON.stringify(passages)) as Bearer[]) {
        if (within && !within.has(content)) continue;
        found.set(content, Math.max(found.get(content) ?? 0, scores.of(passage)));
      }
      if (found.size < limit && passages.length >= take) continue;
      return [...found]
        .sort(([a, scoreOfA], [b, scoreOfB]) => scoreOfB - scoreOfA || (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([content]) => content);
    }
  }

  #shares(contents: readonly string[], scores: PassageScores, most: number): Map<string, number> {
    const found = new Map<string, number>();
    for (const [passage, content] of this.#passagesOf.all(JSON.stringify(contents)) as Bearer[]) {
      // A query may have no word at all.
      const share = most === 0 ? 0 : Math.min(1, scores.of(passage) / most);
      found.set(content, Math.max(found.get(content) ?? 0, share));
    }
    return found;
  }

  /** What to look for. A phrase is a bonus: no document has to have it. */
  async #terms(query: string): Promise<Terms> {
    const { words, phrases } = queryWords(query);
    const found = new Map<string, Term>();
    let missed = 0;
    let corrections = 0;
    for (const word of words) {
      let term = this.#term(word);
      if (term.passages === 0 && corrections < mostCorrections) {
        corrections++;
        term = await this.#corrected(word);
      }
      if (term.passages === 0) missed++;
      else found.set(term.text, term);
    }
    for (const phrase of phrases) {
      const term = this.#term(phrase);
      if (term.passages > 0) found.set(term.text, term);
    }
    const size = this.#size.get() as number;
    const terms = affordable([...found.values()]);
    const most = terms.reduce((sum, term) => sum + weight(term.passages, size), missed * weight(0, size));
    return { terms, most: most * mostOverWeight };
  }

  #term(text: string): Term {
    return (
      this.#remembered.get(text) ??
      this.#remember(text, {
        text,
        passages: this.#count.get(`"${text}"`, mostOccurrences + 1) as number,
      })
    );
  }

  /** What a word that no document has was meant to be; itself where nothing is near. */
  async #corrected(word: string): Promise<Term> {
    const key = `${word}?`;
    const known = this.#remembered.get(key);
    if (known) return known;
    const term = this.#remember(key, this.#term(this.#spelling.nearest(word) ?? word));
    await setImmediate();
    return term;
  }

  #remember(key: string, term: Term): Term {
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(key, term);
    return term;
  }

  #forgetIfChanged(): void {
    const version = this.#version.get() as string;
    if (version === this.#rememberedAt) return;
    this.#remembered.clear();
    this.#scores.forget();
    this.#rememberedAt = version;
  }
}

/** The rarest terms, as many as may be looked at; always one. */
function affordable(terms: readonly Term[]): Term[] {
  let left = mostOccurrences;
  return [...terms]
    .sort((a, b) => a.passages - b.passages || (a.text < b.text ? -1 : 1))
    .filter(({ passages }, index) => {
      left -= passages;
      return index === 0 || left >= 0;
    });
}

/** Inverse document frequency as FTS5 has it. */
function weight(passages: number, size: number): number {
  return Math.max(leastWeight, Math.log((size - passages + 0.5) / (passages + 0.5)));
}
