import { setImmediate } from 'node:timers/promises';
import { type Embedder, EmbedderError } from '@kettle/embedder';
import type { Catalog } from './catalog/catalog.js';
import type { PassageRow } from './catalog/passage-finder.js';
import { SearchError } from './errors.js';
import type { KeywordRanking } from './keywords/keyword-index.js';
import { embeddedText } from './passages/split-passages.js';
import { RememberedVectors } from './remembered-vectors.js';
import type { SearchHit } from './search-hit.js';
import type { SearchMode, SearchOptions } from './search-index.js';
import type { StoreKeeper } from './store-keeper.js';

/** Candidates that each ranking brings to hybrid search, at least. */
const depth = 20;

const defaultTopK = 5;

/** How often a query is answered before nothing is left to chance: the last time all its words are read at once. */
const mostTries = 4;

export interface CheckedQuery {
  readonly query: string;
  readonly topK: number;
  readonly documents: readonly string[] | undefined;
  readonly maxDistance: number;
  readonly signal: AbortSignal | undefined;
}

/** @throws {SearchError} `invalid_query` or `invalid_argument`. */
export function checkQuery(query: string, options: SearchOptions): CheckedQuery {
  const { topK = defaultTopK, documents, maxDistance = 2, signal } = options;
  if (typeof query !== 'string' || query.trim() === '') {
    throw new SearchError('invalid_query', 'The query is blank. Ask a question, or name what to look for.');
  }
  if (!Number.isSafeInteger(topK) || topK < 1) {
    throw new SearchError('invalid_argument', `topK is ${topK}. Give an integer from 1.`);
  }
  if (typeof maxDistance !== 'number' || !(maxDistance >= 0 && maxDistance <= 2)) {
    throw new SearchError('invalid_argument', `maxDistance is ${maxDistance}. Give a number from 0 to 2.`);
  }
  return { query, topK, documents: documents && [...documents], maxDistance, signal };
}

/** Answers queries: ranks contents by vector, by words or by both, and gives the passages that bear them. */
export class SearchService {
  readonly #embedder: Embedder;
  readonly #catalog: Catalog;
  readonly #store: StoreKeeper;
  readonly #mode: SearchMode;
  readonly #vectors: RememberedVectors;

  constructor(embedder: Embedder, catalog: Catalog, store: StoreKeeper, mode: SearchMode) {
    this.#embedder = embedder;
    this.#catalog = catalog;
    this.#store = store;
    this.#mode = mode;
    this.#vectors = new RememberedVectors(catalog.contents);
  }

  /** All of an answer is of one state of the catalog: where a document changed meanwhile, it is looked for anew. */
  async search(query: CheckedQuery): Promise<SearchHit[]> {
    const { keywords } = this.#catalog;
    let known: Float32Array | undefined;
    for (let tries = 1; ; tries++) {
      const isLast = tries === mostTries;
      const revision = keywords.revision();
      const within = this.#within(query);
      const [{ vector, near }, ranking] = await Promise.all([
        this.#byMeaning(query, within, known),
        isLast ? undefined : this.#byWords(query, within),
      ]);
      known = vector;
      const hits = this.#catalog.snapshot(() => {
        const holds = keywords.revision() === revision || (ranking === undefined && within === undefined);
        if (!isLast && !holds) return undefined;
        const words = isLast ? this.#byWordsAtOnce(query) : ranking;
        const found = [...new Set([...near, ...(words?.best ?? [])])];
        const shares = words?.shares(found) ?? this.#noShares(found);
        const isComplete = isLast || found.every((content) => shares.has(content));
        return isComplete ? this.#hits(shares, vector, query) : undefined;
      });
      if (hits !== undefined) return hits;
    }
  }

  #within({ documents }: CheckedQuery): Within {
    return documents && this.#catalog.passages.contentsOf(documents);
  }

  #noShares(contents: readonly string[]): Map<string, number> {
    return new Map([...this.#catalog.contents.liveAmong(contents)].map((content) => [content, 0]));
  }

  /** The query's vector, made anew unless it is known, and the contents near it. */
  async #byMeaning(
    query: CheckedQuery,
    within: Within,
    known: Float32Array | undefined,
  ): Promise<{ vector: Float32Array; near: readonly string[] }> {
    const vector = known ?? (await this.#embed(query));
    return { vector, near: this.#mode === 'keyword' ? [] : await this.#byVector(vector, query, within) };
  }

  async #embed({ query, signal }: CheckedQuery): Promise<Float32Array> {
    try {
      return await this.#embedder.embedQuery(query, { signal });
    } catch (error) {
      if (!EmbedderError.isInstance(error) || error.code !== 'text_too_long') throw error;
      throw new SearchError(
        'query_too_long',
        `The query is too long: the model reads about ${Math.floor(this.#embedder.maxTokens * 0.7)} words. Shorten it, or ask several questions.`,
        { cause: error },
      );
    }
  }

  /** Contents by distance. Asks for more while the store gives some that the catalog no longer has. */
  async #byVector(vector: Float32Array, query: CheckedQuery, within: Within): Promise<string[]> {
    const { signal } = query;
    const topK = this.#mode === 'vector' ? query.topK : Math.max(depth, query.topK);
    if (within?.size === 0) return [];
    for (let asked = topK; ; asked *= 2) {
      const hits = await this.#store.query(vector, asked, { within, signal });
      const ids = hits.map((hit) => hit.id);
      const live = this.#catalog.contents.liveAmong(ids);
      if (live.size >= topK || hits.length < asked) return ids.filter((id) => live.has(id));
    }
  }

  /** Contents by words. Done while the embedding worker has the query. */
  async #byWords({ query, topK }: CheckedQuery, within: Within): Promise<KeywordRanking | undefined> {
    if (this.#mode === 'vector') return undefined;
    // What is sent to the worker leaves with the next turn of the event loop.
    await setImmediate();
    return this.#catalog.keywords.rank(query, Math.max(depth, topK), within);
  }

  /** Within the snapshot that the answer is read from, when the catalog changes too often for anything else. */
  #byWordsAtOnce(query: CheckedQuery): KeywordRanking | undefined {
    if (this.#mode === 'vector') return undefined;
    return this.#catalog.keywords.rankAtOnce(query.query, Math.max(depth, query.topK), this.#within(query));
  }

  /** The passages of the best contents, with their true distances, in the order of the mode. */
  #hits(
    shares: ReadonlyMap<string, number>,
    query: Float32Array,
    { topK, documents, maxDistance }: CheckedQuery,
  ): SearchHit[] {
    const found = new Map<string, { distance: number; score: number }>();
    for (const [content, vector] of this.#vectors.get([...shares.keys()])) {
      const distance = cosineDistance(query, vector);
      if (distance > maxDistance) continue;
      found.set(content, { distance, score: this.#score(distance, shares.get(content)!) });
    }
    // Each content has a passage, so that the first `topK` are enough, with all that are equal to the last of them.
    const scores = [...found.values()].map(({ score }) => score).sort((a, b) => b - a);
    const least = scores[topK - 1] ?? Number.NEGATIVE_INFINITY;
    const best = [...found.keys()].filter((content) => found.get(content)!.score >= least);
    const wanted = documents && documentFilter(documents);
    const rows = this.#catalog.passages.byContent(best).filter((row) => wanted?.(row.document) ?? true);
    // Sorting is stable, and rows come by document and ordinal: that settles ties.
    rows.sort((a, b) => found.get(b.content)!.score - found.get(a.content)!.score);
    return rows.slice(0, topK).map((row, index) => hit(row, found.get(row.content)!.distance, index + 1));
  }

  /**
   * Cosine similarity and the share of the query's words, one to one. Both are absolute: a passage that has little
   * of the query gains little, also where it has more than any other. Fusion by ranks, or by scores stretched to
   * the best hit's, would put it first.
   */
  #score(distance: number, share: number): number {
    if (this.#mode === 'keyword') return share;
    return 1 - distance + share;
  }
}

/** Contents of the documents that are asked for, where some are named. */
type Within = ReadonlySet<string> | undefined;

function hit(row: PassageRow, distance: number, rank: number): SearchHit {
  const { document, start, end, ordinal, mimeType } = row;
  return { rank, document, passage: embeddedText(row), start, end, ordinal, distance, mimeType };
}

function documentFilter(documents: readonly string[]): (name: string) => boolean {
  const names = new Set(documents);
  const folders = documents.filter((name) => name.endsWith('/'));
  return (name) => names.has(name) || folders.some((folder) => name.startsWith(folder));
}

/** Both are of length 1, to within rounding; clamped, so that equal vectors are at 0 and never below. */
function cosineDistance(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let index = 0; index < a.length; index++) {
    dot += a[index]! * b[index]!;
    squareA += a[index]! * a[index]!;
    squareB += b[index]! * b[index]!;
  }
  return Math.min(2, Math.max(0, 1 - dot / Math.sqrt(squareA * squareB)));
}
