import { type Random, randomInteger, randomNormal, seededRandom, shuffled } from '../random.js';
import { distance, medianDimension, nearest, pick, type Vectors, vectorAt, vectorCount } from './geometry.js';

/** How many near passages a grown one is mixed from, at most. */
const neighbourhood = 8;

export interface GrowthOptions {
  readonly seed: number;
  /** Number of vectors wanted, the real ones included. */
  readonly size: number;
  /** Length of the noise in units of the distance to the nearest passage. See {@link fitNoise}. */
  readonly noise: number;
}

/**
 * Grows a corpus: the real vectors first, then made ones until there are `size`.
 *
 * A made vector starts from a random real one and moves part of the way to one of its near neighbours (a
 * convex mixture: a passage about two things the corpus speaks of). Mixtures alone lie on the few lines between
 * real points and would be too easy to search, so noise is added: a random direction of the kind in which the
 * corpus itself varies (differences of random pairs, not white noise), as long as `noise` times the distance
 * to the nearest real passage. Last it is brought to unit length.
 *
 * The first n vectors are the same whatever the `size`, so a smaller corpus is a beginning of a larger one.
 */
export function grow(real: Vectors, { seed, size, noise }: GrowthOptions): Vectors {
  const count = vectorCount(real);
  if (count < 2) throw new RangeError('growing needs at least two passages');
  const { dimensions } = real;
  const data = new Float32Array(size * dimensions);
  data.set(real.data.subarray(0, size * dimensions));
  const random = seededRandom(seed, 1);
  const neighbours = Array.from({ length: count }, (_, index) =>
    nearest(real, vectorAt(real, index), Math.min(neighbourhood, count - 1), index),
  );
  for (let made = count; made < size; made++) {
    const start = randomInteger(random, count);
    const near = neighbours[start]!;
    const towards = near[randomInteger(random, near.length)]!;
    const radius = Math.sqrt(2 * Math.max(near[0]!.distance, 1e-4));
    const vector = data.subarray(made * dimensions, (made + 1) * dimensions);
    mix(vectorAt(real, start), vectorAt(real, towards.index), random(), vector);
    addNoise(vector, real, noise * radius, random);
    normalise(vector);
  }
  return { dimensions, data };
}

/**
 * The amount of noise that makes grown vectors as hard to search as real ones: that for which the median local
 * intrinsic dimension of vectors grown from an eighth of the real ones is that of the other seven eighths.
 */
export function fitNoise(real: Vectors, seed: number): number {
  const { seeds, heldOut } = splitForFit(real, seed);
  const wanted = medianDimension(heldOut);
  let [low, high] = [0, 2];
  // The dimension rises with the noise, so halving the range closes in on the answer.
  for (let step = 0; step < 7; step++) {
    const noise = (low + high) / 2;
    if (medianDimension(grownLike(seeds, vectorCount(heldOut), noise, seed)) < wanted) low = noise;
    else high = noise;
  }
  return (low + high) / 2;
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
export function grownLike(seeds: Vectors, count: number, noise: number, seed: number): Vectors {
  const start = vectorCount(seeds);
  const grown = grow(seeds, { seed, size: start + count, noise });
  return { dimensions: grown.dimensions, data: grown.data.slice(start * grown.dimensions) };
}

function mix(a: Float32Array, b: Float32Array, share: number, into: Float32Array): void {
  for (let i = 0; i < into.length; i++) into[i] = (1 - share) * a[i]! + share * b[i]!;
}

/** Adds a vector of length `length` in a random direction out of those in which the corpus varies. */
function addNoise(vector: Float32Array, real: Vectors, length: number, random: Random): void {
  const count = vectorCount(real);
  const direction = new Float32Array(vector.length);
  for (let pair = 0; pair < 6; pair++) {
    const a = vectorAt(real, randomInteger(random, count));
    const b = vectorAt(real, randomInteger(random, count));
    const weight = randomNormal(random);
    for (let i = 0; i < direction.length; i++) direction[i]! += weight * (a[i]! - b[i]!);
  }
  const norm = Math.hypot(...direction);
  if (norm === 0) return;
  for (let i = 0; i < vector.length; i++) vector[i]! += (direction[i]! / norm) * length;
}

function normalise(vector: Float32Array): void {
  const norm = Math.sqrt(1 - distance(vector, vector));
  for (let i = 0; i < vector.length; i++) vector[i]! /= norm;
}
