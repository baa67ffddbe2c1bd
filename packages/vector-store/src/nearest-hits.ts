import type { VectorHit } from './vector-store.js';

/** The order of results: ascending by distance, ties by id in code unit order. */
export function compareHits(a: VectorHit, b: VectorHit): number {
  return a.distance - b.distance || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Keeps the nearest `limit` of the hits it is offered: a heap with the farthest kept hit on top. */
export class NearestHits {
  readonly #limit: number;
  readonly #heap: VectorHit[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A hit farther than this is not kept: spares the caller looking its id up. */
  get threshold(): number {
    return this.#heap.length < this.#limit ? Number.POSITIVE_INFINITY : (this.#heap[0]?.distance ?? -1);
  }

  offer(hit: VectorHit): void {
    if (this.#heap.length < this.#limit) {
      this.#heap.push(hit);
      this.#rise(this.#heap.length - 1);
    } else if (this.#limit > 0 && compareHits(hit, this.#heap[0]!) < 0) {
      this.#heap[0] = hit;
      this.#sink(0);
    }
  }

  /** The kept hits in the order of results. */
  sorted(): VectorHit[] {
    return this.#heap.toSorted(compareHits);
  }

  #rise(index: number): void {
    const heap = this.#heap;
    const hit = heap[index]!;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (compareHits(hit, heap[parent]!) <= 0) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = hit;
  }

  #sink(index: number): void {
    const heap = this.#heap;
    const hit = heap[index]!;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && compareHits(heap[child + 1]!, heap[child]!) > 0) child++;
      if (compareHits(heap[child]!, hit) <= 0) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = hit;
  }
}
