import type { Fingerprint, VectorRecord, VectorStore } from '@kettle/vector-store';

export function fingerprintOf(dimensions: number, model = 'contract-model'): Fingerprint {
  return { model, dimensions, metric: 'cosine' };
}

export function record(id: string, ...values: number[]): VectorRecord {
  return { id, vector: Float32Array.from(values) };
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A vector whose direction is uniformly random (normal numbers, by Box and Muller). */
export function randomVector(random: () => number, dimensions: number): Float32Array {
  return Float32Array.from(
    { length: dimensions },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

export function randomRecords(count: number, dimensions: number, seed = 1, prefix = 'r'): VectorRecord[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => ({
    id: `${prefix}${index}`,
    vector: randomVector(random, dimensions),
  }));
}

export async function allIds(store: VectorStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of store.ids()) ids.push(...page);
  return ids;
}
