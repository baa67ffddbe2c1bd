import type { Database, Statement } from 'better-sqlite3';
import { turns } from '../turns.js';
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
   * weigh more, and words that no document has count as missed. Left out is what no passage has any more. Holds at
   * the revision of the ranking only: scores go by rows, and a passage may have another's row later.
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
/** Passages or contents that are looked up without a turn of the event loop. */
const lookedUpAtOnce = 1000;
/** Words remembered, all forgotten together. */
const mostRemembered = 10_000;

interface Term {
  /** Of letters and digits, or several of those with something between them. */
  readonly text: string;
  /** Passages that have it, counted up to one above {@link mostOccurrences}. */
  readonly passages: number;
}

/** Work that can be interrupted. */
type Steps<Result> = Generator<void, Result>;

/** A passage and its content. */
type Bearer = [passage: number, content: string];

interface Terms {
  /** Those to look for, the rarest first. */
  readonly terms: readonly string[];
  /** Words that no passage has, nor one like them. */
  readonly missed: number;
}

/** Ranks contents by the words of a query (BM25), typing errors forgiven. */
export class KeywordIndex {
  readonly #spelling: Spelling;
  readonly #scores: WordScoresTable;
  readonly #size: Statement;
  readonly #count: Statement;
  readonly #contentsOf: Statement;
  readonly #passagesOf: Statement;
  readonly #revision: Statement;
  /** What was found out about words, and the revision at which it holds. */
  readonly #remembered = new Map<string, Term>();
  #rememberedAt: string | undefined;

  constructor(db: Database) {
    this.#spelling = new Spelling(db);
    this.#scores = new WordScoresTable(db);
    // One change isn't in the log: a document that is split anew, by other rules, into texts that are there anyway.
    // But new passages are put before the former ones are removed, so that the last row is another then.
    this.#revision = db
      .prepare(
        `SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0) || '/' ||
           ifnull((SELECT max(id) FROM passages), 0)`,
      )
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

  /** Another string whenever passages may have changed, whoever wrote them. */
  revision(): string {
    return this.#revision.get() as string;
  }

  /**
   * The best contents, at most `limit`; among `within` only, where that is given. Lets others have the event loop
   * while it reads, so that it holds only if {@link revision} is the same before and after.
   */
  async rank(query: string, limit: number, within?: ReadonlySet<string>): Promise<KeywordRanking> {
    const steps = this.#rank(query, limit, within);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (turns.isDue) await turns.take({ urgent: true });
    }
  }

  /** The same in one go, for as long as it takes: within a snapshot, nothing comes in between. */
  rankAtOnce(query: string, limit: number, within?: ReadonlySet<string>): KeywordRanking {
    const steps = this.#rank(query, limit, within);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  close(): void {
    this.#spelling.close();
  }

  /** Yields wherever others may have a turn. */
  *#rank(query: string, limit: number, within: ReadonlySet<string> | undefined): Steps<KeywordRanking> {
    if (within?.size === 0) return nothing;
    const revision = this.revision();
    this.#forgetUnlessOf(revision);
    const { terms, missed } = yield* this.#terms(query);
    for (;;) {
      // What was read may be forgotten again at any turn, by another query.
      const missing = terms.find((term) => !this.#scores.has(term));
      if (missing === undefined) break;
      const read = yield* this.#scores.read(missing);
      // The index changed: the whole ranking is out of date, and what was read may be of two states.
      if (this.revision() !== revision) return nothing;
      this.#scores.keep(missing, read);
      yield;
    }
    const scores = this.#scores.sum(terms);
    const most = this.#most(terms, missed);
    this.#scores.trim();
    const best = yield* this.#best(scores, limit, within);
    return { best, shares: (contents) => this.#shares(contents, scores, most) };
  }

  /** The most that any text could score: what shares are of. */
  #most(terms: readonly string[], missed: number): number {
    const size = this.#size.get() as number;
    // Not the passages counted before, which end at a limit: FTS5 weighs a word by all that have it.
    const weights = terms.map((term) => weight(this.#scores.passagesWith(term), size));
    return mostOverWeight * weights.reduce((sum, each) => sum + each, missed * weight(0, size));
  }

  *#best(scores: PassageScores, limit: number, within: ReadonlySet<string> | undefined): Steps<string[]> {
    for (let take = limit * passagesPerHit; ; take *= 4) {
      const isAll = within !== undefined && within.size <= take;
      const passages = isAll ? [] : scores.best(take);
      const found = new Map<string, number>();
      const bearers = isAll
        ? this.#bearers(this.#passagesOf, [...within])
        : this.#bearers(this.#contentsOf, passages);
      for (const slice of bearers) {
        for (const [passage, content] of slice) {
          const score = scores.of(passage);
          if (score === 0 || (within && !within.has(content))) continue;
          found.set(content, Math.max(found.get(content) ?? 0, score));
        }
        yield;
      }
      if (!isAll && found.size < limit && passages.length >= take) continue;
      return [...found]
        .sort(([a, scoreOfA], [b, scoreOfB]) => scoreOfB - scoreOfA || (a < b ? -1 : 1))
        .slice(0, limit)
        .map(([content]) => content);
    }
  }

  *#bearers(lookUp: Statement, keys: readonly (number | string)[]): Generator<Bearer[]> {
    for (let from = 0; from < keys.length; from += lookedUpAtOnce) {
      yield lookUp.all(JSON.stringify(keys.slice(from, from + lookedUpAtOnce))) as Bearer[];
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
  *#terms(query: string): Steps<Terms> {
    const { words, phrases } = queryWords(query);
    const found = new Map<string, Term>();
    let missed = 0;
    let corrections = 0;
    for (const word of words) {
      let term = this.#term(word);
      if (term.passages === 0 && corrections < mostCorrections) {
        corrections++;
        term = this.#corrected(word);
        yield;
      }
      if (term.passages === 0) missed++;
      else found.set(term.text, term);
    }
    for (const phrase of phrases) {
      const term = this.#term(phrase);
      if (term.passages > 0) found.set(term.text, term);
    }
    return { terms: affordable([...found.values()]).map(({ text }) => text), missed };
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
  #corrected(word: string): Term {
    const key = `${word}?`;
    return this.#remembered.get(key) ?? this.#remember(key, this.#term(this.#spelling.nearest(word) ?? word));
  }

  #remember(key: string, term: Term): Term {
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(key, term);
    return term;
  }

  #forgetUnlessOf(revision: string): void {
    if (revision === this.#rememberedAt) return;
    this.#remembered.clear();
    this.#scores.forget();
    this.#rememberedAt = revision;
  }
}

const nothing: KeywordRanking = { best: [], shares: () => new Map() };

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
