import type { Database, Statement } from 'better-sqlite3';
import { queryWords } from './query-words.js';
import { Spelling } from './spelling.js';

/** A content that shares words with a query. */
export interface KeywordHit {
  /** Content hash. */
  readonly content: string;
  /**
   * Its BM25 score as a share of the most that any text could get for the query: 0 to 1. Rare words weigh more, and
   * words that no document has count as missed.
   */
  readonly share: number;
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
const mostPassagesPerHit = 10;
/** Words remembered, all forgotten together. */
const mostRemembered = 10_000;

interface Term {
  /** Of letters and digits, or several of those with something between them. */
  readonly text: string;
  /** Passages that have it, counted up to one above {@link mostOccurrences}. */
  readonly passages: number;
}

/** Ranks contents by the words of a query (BM25), typing errors forgiven. */
export class KeywordIndex {
  readonly #spelling: Spelling;
  readonly #size: Statement;
  readonly #count: Statement;
  readonly #rank: Statement;
  readonly #version: Statement;
  /** What was found out about words, and the state of the database in which it holds. */
  readonly #remembered = new Map<string, Term>();
  #rememberedAt: string | undefined;

  constructor(db: Database) {
    this.#spelling = new Spelling(db);
    // Changes with what this connection writes, and with what others do.
    this.#version = db
      .prepare("SELECT total_changes() || '/' || data_version FROM pragma_data_version")
      .pluck();
    this.#size = db.prepare('SELECT count(*) FROM passages').pluck();
    this.#count = db
      .prepare('SELECT count(*) FROM (SELECT 1 FROM passage_words WHERE passage_words MATCH ? LIMIT ?)')
      .pluck();
    // Passages that are equal at the limit are all taken: their order would depend on when they were indexed.
    this.#rank = db.prepare(
      `WITH matches AS MATERIALIZED (
         SELECT rowid AS passage, bm25(passage_words) AS score FROM passage_words
         WHERE passage_words MATCH $match
           AND ($within IS NULL OR rowid IN (
             SELECT passages.id FROM json_each($within) JOIN contents ON contents.hash = value
             JOIN passages ON passages.content = contents.id))
       ), worst AS (
         SELECT score FROM matches ORDER BY score LIMIT 1 OFFSET $most
       )
       SELECT contents.hash AS content, -min(score) AS score FROM matches
       JOIN passages ON passages.id = matches.passage JOIN contents ON contents.id = passages.content
       WHERE score <= ifnull((SELECT score FROM worst), 0)
       GROUP BY contents.id ORDER BY score DESC, contents.hash LIMIT $limit`,
    );
  }

  /** The best contents first, ties by hash; among `within` only, where that is given. */
  rank(query: string, limit: number, within?: ReadonlySet<string>): KeywordHit[] {
    this.#forgetIfChanged();
    const size = this.#size.get() as number;
    const { terms, missed } = this.#terms(query);
    if (terms.length === 0) return [];
    const most = terms.reduce((sum, term) => sum + weight(term.passages, size), missed * weight(0, size));
    const match = terms.map(({ text }) => `"${text}"`).join(' OR ');
    const inside = within === undefined ? null : JSON.stringify([...within]);
    const best = (passages: number) =>
      this.#rank.all({ match, within: inside, most: passages, limit }) as {
        content: string;
        score: number;
      }[];
    let rows = best(limit * passagesPerHit);
    const occurrences = terms.reduce((sum, { passages }) => sum + passages, 0);
    if (rows.length < limit && occurrences > limit * passagesPerHit) rows = best(limit * mostPassagesPerHit);
    return rows.map(({ content, score }) => ({
      content,
      share: Math.min(1, score / (most * mostOverWeight)),
    }));
  }

  close(): void {
    this.#spelling.close();
  }

  /** What to look for, and how many words are in no document. A phrase is a bonus: no document has to have it. */
  #terms(query: string): { terms: Term[]; missed: number } {
    const { words, phrases } = queryWords(query);
    const found = new Map<string, Term>();
    let missed = 0;
    let corrections = 0;
    for (const word of words) {
      let term = this.#term(word);
      if (term.passages === 0 && corrections < mostCorrections) {
        corrections++;
        term = this.#corrected(word);
      }
      if (term.passages === 0) missed++;
      else found.set(term.text, term);
    }
    for (const phrase of phrases) {
      const term = this.#term(phrase);
      if (term.passages > 0) found.set(term.text, term);
    }
    return { terms: affordable([...found.values()]), missed };
  }

  #term(text: string): Term {
    return this.#recall(text, () => {
      return { text, passages: this.#count.get(`"${text}"`, mostOccurrences + 1) as number };
    });
  }

  /** What a word that no document has was meant to be; itself where nothing is near. */
  #corrected(word: string): Term {
    return this.#recall(`${word}?`, () => this.#term(this.#spelling.nearest(word) ?? word));
  }

  #recall(key: string, find: () => Term): Term {
    const known = this.#remembered.get(key);
    if (known) return known;
    const term = find();
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(key, term);
    return term;
  }

  #forgetIfChanged(): void {
    const version = this.#version.get() as string;
    if (version !== this.#rememberedAt) this.#remembered.clear();
    this.#rememberedAt = version;
  }
}

/** The rarest terms, as many as may be looked at; always one. */
function affordable(terms: readonly Term[]): Term[] {
  let left = mostOccurrences;
  return [...terms]
    .sort((a, b) => a.passages - b.passages)
    .filter(({ passages }, index) => {
      left -= passages;
      return index === 0 || left >= 0;
    });
}

/** Inverse document frequency as FTS5 has it. */
function weight(passages: number, size: number): number {
  return Math.max(leastWeight, Math.log((size - passages + 0.5) / (passages + 0.5)));
}
