import { type Random, randomInteger, randomNormal, seededRandom, shuffled } from '../random.js';
import {
  distance,
  euclidean,
  medianDimension,
  medianNearest,
  type Neighbour,
  nearest,
  pick,
  type Vectors,
  vectorAt,
  vectorCount,
} from './geometry.js';

/** Fewest vectors to fit growth to: two to grow from, and two that lie somehow to each other. */
const fewest = 4;

/** A made vector moves towards one of this many nearest neighbours. */
const mixed = 8;

export interface GrowthOptions {
  readonly seed: number;
  /** Number of vectors wanted, the real ones included. */
  readonly size: number;
  /** Length of the noise in units of the distance to the nearest passage. See {@link fitNoise}. */
  readonly noise: number;
  /** In how many directions the noise may go: the real vectors' local intrinsic dimension. */
  readonly directions: number;
}

/**
 * Grows a corpus: the real vectors first, then made ones until there are `size`.
 *
 * A made vector starts from a random real one and moves part of the way to one of its near neighbours (a
 * convex mixture: a passage about two things the corpus speaks of). Mixtures alone lie on the few lines between
 * real points and would be too easy to search, so noise is added: a random combination of the directions to
 * the nearest `directions` neighbours, as long as `noise` times the distance to the nearest. So the surroundings
 * keep the dimension of the real ones however dense the corpus becomes; noise in all directions would make them
 * harder and harder. Last the vector is brought to unit length.
 *
 * The first n vectors are the same whatever the `size`, so a smaller corpus is a beginning of a larger one.
 */
export function grow(real: Vectors, { seed, size, noise, directions }: GrowthOptions): Vectors {
  const count = vectorCount(real);
  if (count < 2) throw new RangeError('growing needs at least two passages');
  const { dimensions } = real;
  const data = new Float32Array(size * dimensions);
  data.set(real.data.subarray(0, size * dimensions));
  const random = seededRandom(seed, 1);
  const neighbours = Array.from({ length: count }, (_, index) =>
    nearest(real, vectorAt(real, index), Math.min(Math.max(mixed, directions), count - 1), index),
  );
  for (let made = count; made < size; made++) {
    const start = randomInteger(random, count);
    const near = neighbours[start]!;
    const towards = near[randomInteger(random, Math.min(mixed, near.length))]!;
    const radius = euclidean(Math.max(near[0]!.distance, 1e-4));
    const vector = data.subarray(made * dimensions, (made + 1) * dimensions);
    mix(vectorAt(real, start), vectorAt(real, towards.index), random(), vector);
    addNoise(vector, real, start, near.slice(0, directions), noise * radius, random);
    normalise(vector);
  }
  return { dimensions, data };
}

/** What makes grown vectors like the real ones: the two numbers of {@link GrowthOptions} that depend on them. */
export type Likeness = Pick<GrowthOptions, 'noise' | 'directions'>;

/**
 * Fits growth to real vectors. The number of directions is their median local intrinsic dimension. The length of
 * the noise is that at which vectors grown from an eighth of them are as far from each other (median distance of
 * the nearest) as the other seven eighths.
 *
 * @throws {RangeError} for fewer than four vectors
 */
export function fitNoise(real: Vectors, seed: number): Likeness {
  if (vectorCount(real) < fewest)
    throw new RangeError(
      `a corpus is grown from ${fewest} passages at least, and this one has ${vectorCount(real)}`,
    );
  const directions = Math.max(2, Math.round(medianDimension(real)));
  const { seeds, heldOut } = splitForFit(real, seed);
  const wanted = medianNearest(heldOut);
  let [low, high] = [0, 3];
  // The distance rises with the noise, so halving the range closes in on the answer.
  for (let step = 0; step < 7; step++) {
    const noise = (low + high) / 2;
    if (medianNearest(grownLike(seeds, vectorCount(heldOut), { noise, directions }, seed)) < wanted)
      low = noise;
    else high = noise;
  }
  return { noise: (low + high) / 2, directions };
}

/** The real vectors in two parts: a random eighth to grow from, and the rest to compare with. */
export function splitForFit(real: Vectors, seed: number): { seeds: Vectors; heldOut: Vectors } {
  const random = seededRandom(seed, 2);
  const order = shuffled(
    Array.from({ length: vectorCount(real) }, (_, index) => index),
    random,
  );
  const cut = Math.max(2, Math.round(order.length / 8));
  return { seeds: pick(real, order.slice(0, cut)), heldOut: pick(real, order.slice(cut)) };
}

/** `count` made vectors, without the real ones they were made from. */
export function grownLike(seeds: Vectors, count: number, likeness: Likeness, seed: number): Vectors {
  const start = vectorCount(seeds);
  const grown = grow(seeds, { seed, size: start + count, ...likeness });
  return { dimensions: grown.dimensions, data: grown.data.slice(start * grown.dimensions) };
}

function mix(a: Float32Array, b: Float32Array, share: number, into: Float32Array): void {
  for (let i = 0; i < into.length; i++) into[i] = (1 - share) * a[i]! + share * b[i]!;
}

/** Adds a vector of length `length`: a random combination of the directions from `start` to its neighbours. */
function addNoise(
  vector: Float32Array,
  real: Vectors,
  start: number,
  neighbours: readonly Neighbour[],
  length: number,
  random: Random,
): void {
  const from = vectorAt(real, start);
  const direction = new Float32Array(vector.length);
  for (const { index } of neighbours) {
    const to = vectorAt(real, index);
    const weight = randomNormal(random);
    for (let i = 0; i < direction.length; i++) direction[i]! += weight * (to[i]! - from[i]!);
  }
  const norm = lengthOf(direction);
  if (norm === 0) return;
  for (let i = 0; i < vector.length; i++) vector[i]! += (direction[i]! / norm) * length;
}

function normalise(vector: Float32Array): void {
  const norm = lengthOf(vector);
  for (let i = 0; i < vector.length; i++) vector[i]! /= norm;
}

/** Euclidean. `Math.hypot` guards against overflow that can't happen here, and takes many times as long. */
function lengthOf(vector: Float32Array): number {
  return Math.sqrt(1 - distance(vector, vector));
}
