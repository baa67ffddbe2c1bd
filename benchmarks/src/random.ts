/** A stream of numbers in [0, 1) that the seed decides. */
export type Random = () => number;

/**
 * Sfc32 seeded through SplitMix32: small, fast, and the same on every machine. `Math.random` can't be seeded.
 *
 * @param seed any integer; different `streams` of one seed are independent of each other.
 */
export function seededRandom(seed: number, stream = 0): Random {
  let state = (seed ^ Math.imul(stream + 1, 0x9e3779b9)) | 0;
  const mix = () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ (state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return (z ^ (z >>> 15)) | 0;
  };
  let [a, b, c, counter] = [mix(), mix(), mix(), 1];
  return () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 to `below` − 1. */
export function randomInteger(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/** A number from the standard normal distribution (Box and Muller). */
export function randomNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A copy in random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = randomInteger(random, i + 1);
    [copy[i], copy[j]] = [copy[j]!, copy[i]!];
  }
  return copy;
}

/** The numbers from 0 to `count` − 1 in the order in which they are drawn: the first of them are a fair sample. */
export function drawn(count: number, seed: number): number[] {
  return shuffled(
    Array.from({ length: count }, (_, index) => index),
    seededRandom(seed, 1),
  );
}
