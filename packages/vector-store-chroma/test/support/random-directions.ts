/** Vectors that point everywhere, which is the hardest case for an approximate index. The same for the same seed. */
export function randomDirections(count: number, dimensions: number, seed: number): Float32Array[] {
  let state = seed;
  const random = () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  // Box and Muller's way to the normal distribution, which has no preferred direction.
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, normal));
}
