import { compareHits, NearestHits, unitDistance, type VectorHit } from '@kettle/vector-store';

/** The questions that a search can ask a collection. */
export interface Source {
  /** Fewest results to ask for: the width of the search in the server's index. */
  readonly least: number;
  /** Most results that the server gives. */
  readonly most: number;
  /** Up to `limit` hits as the server's index finds them, in any order. */
  ask(limit: number): Promise<VectorHit[]>;
  count(): Promise<number>;
  /** Records in parts: those of `ids` that are there, or all. */
  vectors(
    ids?: readonly string[],
  ): AsyncIterable<readonly (readonly [id: string, vector: readonly number[]])[]>;
}

/** Hits asked for beyond `topK`, so that ties at the cut are seen in most cases at the first time of asking. */
const spare = 8;
/** Distances this close may be a tie to the server's single precision. */
const tie = 1e-6;
/** Up to this many selected records, comparing each of them costs no more than searching around the others. */
const smallSelection = 500;
/** In a collection up to this size no miss of the index is taken: comparing all of it costs one request or two. */
const smallCollection = 1000;

/**
 * The `topK` nearest of a collection, or of a selection in it, in the order of results.
 *
 * The server cuts its answer before we can sort ties, can't restrict a search to ids of which one is unknown, and
 * may give fewer hits than there are. So we ask for more than we need until the cut is clear, and compare the
 * vectors ourselves where the index doesn't give enough. Asking for more results also widens the search: a collection
 * of fewer records than are asked for is searched completely, and that shows in their number.
 */
export async function nearest(
  source: Source,
  direction: Float32Array,
  topK: number,
  within?: ReadonlySet<string>,
): Promise<VectorHit[]> {
  if (within?.size === 0) return [];
  if (within && within.size <= smallSelection) return compareAll(source, direction, topK, within);

  let wanted = Math.max(topK + spare, source.least);
  if (within) wanted += Math.ceil((topK * (await source.count())) / within.size);
  for (;;) {
    const limit = Math.min(wanted, source.most);
    const found = (await source.ask(limit)).sort(compareHits);
    const hits = within ? found.filter(({ id }) => within.has(id)) : found;
    const last = hits[topK - 1];
    if (found.length >= limit) {
      const isClear = last && found.at(-1)!.distance > last.distance + tie;
      if (isClear || (last && limit === source.most)) return hits.slice(0, topK);
      if (limit === source.most) return compareAll(source, direction, topK, within);
      wanted = limit * 4;
      continue;
    }
    // Fewer than asked for: either that is all there is, or the index has missed some.
    const count = await source.count();
    const complete = found.length >= count || (last && count > smallCollection);
    return complete ? hits.slice(0, topK) : compareAll(source, direction, topK, within);
  }
}

/** The exact answer, by fetching the vectors. */
async function compareAll(
  source: Source,
  direction: Float32Array,
  topK: number,
  within?: ReadonlySet<string>,
): Promise<VectorHit[]> {
  const best = new NearestHits(topK);
  for await (const part of source.vectors(within && [...within])) {
    for (const [id, vector] of part) {
      best.offer({ id, distance: unitDistance(direction, Float32Array.from(vector)) });
    }
  }
  return best.sorted();
}
