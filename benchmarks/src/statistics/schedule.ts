import { seededRandom, shuffled } from '../random.js';

export interface Turn<T> {
  readonly item: T;
  /** Counts from 0. */
  readonly repetition: number;
}

/**
 * The order in which things are measured: every repetition takes each item once, in an order of its own, so
 * that a slow minute of the machine or a warm cache falls on all items alike.
 */
export function interleave<T>(items: readonly T[], repetitions: number, seed: number): Turn<T>[] {
  const random = seededRandom(seed);
  const turns: Turn<T>[] = [];
  for (let repetition = 0; repetition < repetitions; repetition++)
    for (const item of shuffled(items, random)) turns.push({ item, repetition });
  return turns;
}
