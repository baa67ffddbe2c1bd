import {
  distance,
  euclidean,
  pick,
  relativeContrasts,
  surroundings,
  type Vectors,
  vectorAt,
  vectorCount,
} from '../corpus/geometry.js';
import { drawn } from '../random.js';
import type { Labels, Measurement } from '../results/results.js';
import type { Truth } from './workspace.js';

/** Comparisons of two vectors that the surroundings in one store may cost: about a fifth of a second, with twenty at least. */
const comparisons = 200_000;

/** How hard a set of vectors is to search: from their surroundings, and from where the questions lie. */
export function difficulty(vectors: Vectors, queries: Vectors, labels: Labels): Measurement[] {
  return [
    ...around(vectors, labels),
    { metric: 'relative_contrast', labels, runs: [relativeContrasts(vectors, queries)] },
  ];
}

export interface StoreDifficulty {
  readonly real: Vectors;
  /** The largest store, which begins with the smaller ones, and those with the real vectors. */
  readonly grown: Vectors;
  readonly queries: Vectors;
  readonly truth: Truth;
  readonly seed: number;
}

/**
 * The stores that are searched, beside all real vectors: as many drawn from each as there are real ones, since all of
 * these numbers depend on how many vectors there are; and each as it is.
 */
export function difficultyOfStores({ real, grown, queries, truth, seed }: StoreDifficulty): Measurement[] {
  const count = vectorCount(real);
  const asked = drawn(vectorCount(queries), seed);
  const measured = difficulty(real, queries, { data: 'real', phase: 'all', passages: count });
  truth.sizes.forEach((passages, index) => {
    if (passages < 2 * count) return;
    // Not the real ones, which every store begins with.
    const order = drawn(passages - count, seed).slice(0, count);
    const some = pick(
      grown,
      order.map((place) => count + place),
    );
    measured.push(...difficulty(some, queries, { data: 'grown', phase: 'as many', passages }));
    const whole = { dimensions: grown.dimensions, data: grown.data.subarray(0, passages * grown.dimensions) };
    const labels: Labels = { data: 'grown', phase: 'all', passages };
    const contrasts = truth.distances[index]!.map(([nearest], place) => {
      const query = vectorAt(queries, asked[place]!);
      return meanDistance(some, query) / Math.max(euclidean(nearest!), 1e-6);
    });
    measured.push(...around(whole, labels, Math.floor(comparisons / passages)));
    measured.push({ metric: 'relative_contrast', labels, runs: [contrasts] });
  });
  return measured;
}

function around(vectors: Vectors, labels: Labels, most = 200): Measurement[] {
  const found = surroundings(vectors, Math.min(200, Math.max(20, most)));
  return [
    { metric: 'intrinsic_dimension', labels, runs: [found.map(({ dimension }) => dimension)] },
    { metric: 'nearest_distance', labels, runs: [found.map(({ nearest }) => nearest)] },
  ];
}

/** Of those drawn: the mean over the whole store is the same but for chance, and takes a hundred times as long. */
function meanDistance(vectors: Vectors, query: Float32Array): number {
  const count = vectorCount(vectors);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += euclidean(distance(query, vectorAt(vectors, i)));
  return sum / count;
}
