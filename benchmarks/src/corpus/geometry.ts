import { quantile } from '../statistics/quantile.js';

/** Vectors of unit length, one after the other. */
export interface Vectors {
  readonly dimensions: number;
  readonly data: Float32Array;
}

export function vectorCount({ data, dimensions }: Vectors): number {
  return data.length / dimensions;
}

/** A view of one vector, not a copy. */
export function vectorAt({ data, dimensions }: Vectors, index: number): Float32Array {
  return data.subarray(index * dimensions, (index + 1) * dimensions);
}

/** The vectors at these positions, in this order. */
export function pick(vectors: Vectors, indexes: readonly number[]): Vectors {
  const { dimensions } = vectors;
  const data = new Float32Array(indexes.length * dimensions);
  indexes.forEach((from, to) => {
    data.set(vectorAt(vectors, from), to * dimensions);
  });
  return { dimensions, data };
}

/** Cosine distance of unit vectors, 1 − cos. Four sums, so that no addition has to wait for the one before. */
export function distance(a: Float32Array, b: Float32Array): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let i = 0;
  for (; i + 3 < a.length; i += 4) {
    first += a[i]! * b[i]!;
    second += a[i + 1]! * b[i + 1]!;
    third += a[i + 2]! * b[i + 2]!;
    fourth += a[i + 3]! * b[i + 3]!;
  }
  for (; i < a.length; i++) first += a[i]! * b[i]!;
  return 1 - (first + second + third + fourth);
}

/** The distance in a straight line between unit vectors of that cosine distance. */
export function euclidean(cosine: number): number {
  return Math.sqrt(2 * Math.max(0, cosine));
}

export interface Neighbour {
  readonly index: number;
  readonly distance: number;
}

/**
 * The `k` vectors nearest to `query` for each of the first `sizes[i]` vectors: one pass serves every size.
 *
 * @param sizes ascending
 * @param except position to leave out, such as that of the query itself
 */
export function nearestOfPrefixes(
  vectors: Vectors,
  query: Float32Array,
  k: number,
  sizes: readonly number[],
  except = -1,
): Neighbour[][] {
  const best: Neighbour[] = [];
  const results: Neighbour[][] = [];
  let index = 0;
  for (const size of sizes) {
    for (; index < Math.min(size, vectorCount(vectors)); index++) {
      if (index === except) continue;
      const found = distance(query, vectorAt(vectors, index));
      if (best.length === k && found >= best[k - 1]!.distance) continue;
      let place = best.length;
      while (place > 0 && best[place - 1]!.distance > found) place--;
      best.splice(place, 0, { index, distance: found });
      if (best.length > k) best.pop();
    }
    results.push([...best]);
  }
  return results;
}

export function nearest(vectors: Vectors, query: Float32Array, k: number, except = -1): Neighbour[] {
  return nearestOfPrefixes(vectors, query, k, [vectorCount(vectors)], except)[0]!;
}

/** Where a vector of the set stands among the others. */
export interface Surroundings {
  /**
   * Local intrinsic dimension by maximum likelihood (Levina and Bickel; Amsaleg et al.) from the 20 nearest: how
   * fast neighbours come in as the radius grows. The higher, the harder for an index.
   */
  readonly dimension: number;
  /** Cosine distance of the nearest other vector. */
  readonly nearest: number;
}

const neighbourhood = 20;

/** The surroundings of `count` vectors, taken evenly from the set, among all the others of the set. */
export function surroundings(vectors: Vectors, count = 200): Surroundings[] {
  const total = vectorCount(vectors);
  const taken = Math.min(count, total);
  return Array.from({ length: taken }, (_, step) => {
    const index = Math.floor((step * total) / taken);
    const near = nearest(vectors, vectorAt(vectors, index), neighbourhood, index);
    const radii = near.map((neighbour) => euclidean(Math.max(neighbour.distance, 1e-9)));
    const widest = radii.at(-1)!;
    const sum = radii.slice(0, -1).reduce((total, radius) => total + Math.log(widest / radius), 0);
    return { dimension: sum === 0 ? 0 : (radii.length - 1) / sum, nearest: near[0]!.distance };
  });
}

/**
 * Relative contrast (He, Kumar and Chang, 2012) for each query: the mean distance to all vectors divided by
 * that to the nearest. Near 1 everything is equally far away, and search is hard.
 */
export function relativeContrasts(vectors: Vectors, queries: Vectors): number[] {
  const count = vectorCount(vectors);
  return eachQuery(queries, (query) => {
    let [sum, least] = [0, Number.POSITIVE_INFINITY];
    for (let i = 0; i < count; i++) {
      const found = euclidean(distance(query, vectorAt(vectors, i)));
      sum += found;
      least = Math.min(least, found);
    }
    return sum / count / Math.max(least, 1e-6);
  });
}

/** Median local intrinsic dimension: one number for how hard a set is to search. */
export function medianDimension(vectors: Vectors): number {
  return quantile(
    surroundings(vectors).map(({ dimension }) => dimension),
    0.5,
  );
}

/** Median distance of the nearest other vector. */
export function medianNearest(vectors: Vectors): number {
  return quantile(
    surroundings(vectors).map((one) => one.nearest),
    0.5,
  );
}

function eachQuery<T>(queries: Vectors, measure: (query: Float32Array) => T): T[] {
  return Array.from({ length: vectorCount(queries) }, (_, index) => measure(vectorAt(queries, index)));
}
