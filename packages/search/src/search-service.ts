import { type Embedder, EmbedderError } from '@kettle/embedder';
import type { Catalog } from './catalog/catalog.js';
import type { PassageRow } from './catalog/passage-finder.js';
import { SearchError } from './errors.js';
import { embeddedText } from './passages/split-passages.js';
import type { SearchHit } from './search-hit.js';
import type { SearchMode, SearchOptions } from './search-index.js';
import type { StoreKeeper } from './store-keeper.js';

/** Cormack, Clarke and Büttcher (2009) found 60 to work across collections. */
const rankConstant = 60;
/** How deep each ranking goes before two are fused. */
const fusedDepth = 100;

const defaultTopK = 5;

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

  constructor(embedder: Embedder, catalog: Catalog, store: StoreKeeper, mode: SearchMode) {
    this.#embedder = embedder;
    this.#catalog = catalog;
    this.#store = store;
    this.#mode = mode;
  }

  async search(query: CheckedQuery): Promise<SearchHit[]> {
    const vector = await this.#embed(query);
    if (this.#mode === 'vector')
      return this.#hits(await this.#byVector(vector, query, query.topK), vector, query);
    const byWords = await this.#byWords(query);
    if (this.#mode === 'keyword') return this.#hits(byWords, vector, query);
    const byVector = await this.#byVector(vector, query, Math.max(fusedDepth, query.topK));
    return this.#hits(fuse([byVector, byWords]), vector, query);
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
  async #byVector(
    vector: Float32Array,
    { documents, signal }: CheckedQuery,
    topK: number,
  ): Promise<string[]> {
    const within = documents && this.#catalog.passages.contentsOf(documents);
    if (within?.size === 0) return [];
    for (let asked = topK; ; asked *= 2) {
      const hits = await this.#store.query(vector, asked, { within, signal });
      const ids = hits.map((hit) => hit.id);
      const live = this.#catalog.contents.liveAmong(ids);
      if (live.size >= topK || hits.length < asked) return ids.filter((id) => live.has(id));
    }
  }

  /** Contents by words; a filter is applied to the whole ranking. */
  async #byWords({ query, documents, topK }: CheckedQuery): Promise<string[]> {
    const { passages } = this.#catalog;
    const depth = Math.max(fusedDepth, topK * 4);
    if (documents === undefined) return passages.byWords(query, depth);
    const within = passages.contentsOf(documents);
    return passages
      .byWords(query, -1)
      .filter((content) => within.has(content))
      .slice(0, depth);
  }

  /** The passages of ranked contents. By vector they are put in the order of their true distances. */
  #hits(
    ranked: readonly string[],
    vector: Float32Array,
    { topK, documents, maxDistance }: CheckedQuery,
  ): SearchHit[] {
    const vectors = this.#catalog.contents.vectors(ranked);
    const places = new Map(ranked.map((content, index) => [content, index]));
    const wanted = documents && documentFilter(documents);
    const found = this.#catalog.passages
      .byContent(ranked)
      .filter((row) => vectors.has(row.content) && (wanted?.(row.document) ?? true))
      .map((row) => ({ row, distance: cosineDistance(vector, vectors.get(row.content)!) }))
      .filter(({ distance }) => distance <= maxDistance);
    // Sorting is stable, and rows come by document and ordinal: that settles ties.
    if (this.#mode === 'vector') found.sort((a, b) => a.distance - b.distance);
    else found.sort((a, b) => places.get(a.row.content)! - places.get(b.row.content)!);
    return found.slice(0, topK).map(({ row, distance }, index) => hit(row, distance, index + 1));
  }
}

function hit(row: PassageRow, distance: number, rank: number): SearchHit {
  const { document, start, end, ordinal, mimeType } = row;
  return { rank, document, passage: embeddedText(row), start, end, ordinal, distance, mimeType };
}

/** Reciprocal rank fusion: each ranking gives 1 / (60 + rank); ties by id. */
function fuse(rankings: readonly (readonly string[])[]): string[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings) {
    ranking.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (rankConstant + index + 1));
    });
  }
  return [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([id]) => id);
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
