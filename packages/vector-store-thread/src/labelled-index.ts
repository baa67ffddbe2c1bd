import { NearestHits, unitDistance, type VectorHit } from '@kettle/vector-store';
import type { Graph } from './graph.js';

/** Candidates beyond a large `topK`, so that the smallest ids win where equal distances are cut. */
const tieRoom = 32;
/**
 * Reading a vector out of the index and comparing it takes about as long as this many steps of a filtered
 * search. Measured with 384 dimensions; the choice it decides is not sensitive to it.
 */
const comparisonCost = 15;

/** A graph, which knows vectors by label, under string ids. */
export class LabelledIndex {
  readonly graph: Graph;
  readonly #efSearch: number;
  /** The id under each label, undefined where it was deleted. Labels are given once, in order. */
  readonly #ids: (string | undefined)[];
  readonly #labels = new Map<string, number>();

  /** @param ids The id under each of the graph's labels, undefined where it was deleted. */
  constructor(graph: Graph, efSearch: number, ids: (string | undefined)[] = []) {
    if (graph.length !== ids.length) {
      throw new Error(`the graph holds ${graph.length} vectors, the list of ids ${ids.length}`);
    }
    this.graph = graph;
    this.#efSearch = efSearch;
    this.#ids = ids;
    ids.forEach((id, label) => {
      if (id !== undefined) this.#labels.set(id, label);
    });
  }

  /** Number of records. */
  get size(): number {
    return this.#labels.size;
  }

  /** Vectors that were deleted and still take space. */
  get deleted(): number {
    return this.#ids.length - this.#labels.size;
  }

  /** Labels given so far. */
  get labels(): number {
    return this.#ids.length;
  }

  idAt(label: number): string | undefined {
    return this.#ids[label];
  }

  ids(): string[] {
    return [...this.#labels.keys()];
  }

  /** The id under each label, '' where it was deleted. */
  idsByLabel(): string[] {
    return Array.from(this.#ids, (id) => id ?? '');
  }

  has(id: string, vector: Float32Array): boolean {
    const label = this.#labels.get(id);
    if (label === undefined) return false;
    const held = this.graph.vectorAt(label);
    return vector.every((value, place) => value === held[place]);
  }

  /**
   * Adds a vector, in place of an older one under the same id. The older one is removed, not overwritten: moving
   * a vector within a graph leaves links behind that lead nowhere near it, and recall suffers.
   */
  add(id: string, vector: Float32Array): void {
    const label = this.#ids.length;
    this.graph.add(vector);
    this.delete(id);
    this.#ids.push(id);
    this.#labels.set(id, label);
  }

  /** Whether there was such a record. */
  delete(id: string): boolean {
    const label = this.#labels.get(id);
    if (label === undefined) return false;
    this.graph.remove(label);
    this.#labels.delete(id);
    this.#ids[label] = undefined;
    return true;
  }

  search(query: Float32Array, topK: number, within?: readonly string[]): VectorHit[] {
    const selected = within && this.#labelsOf(within);
    const size = selected?.length ?? this.size;
    const nearest = new NearestHits(Math.min(topK, size));
    if (size === 0) return [];
    if (selected && this.#comparingIsCheaper(selected.length)) {
      this.#compare(query, selected, nearest);
      return nearest.sorted();
    }

    // A filter that lets everything through would only cost time.
    const allowed = selected && size < this.size ? this.#bitmap(selected) : undefined;
    const width = topK < this.#efSearch ? this.#efSearch : topK + tieRoom;
    const count = Math.min(size, width);
    const filter = allowed && ((label: number) => allowed[label] === 1);
    const { labels, distances } = this.graph.search(query, count, filter);
    const found = Array.from(labels);
    found.forEach((label, place) => {
      // Rounding may leave the range by a hair.
      const distance = Math.min(2, Math.max(0, distances[place]!));
      nearest.offer({ id: this.#ids[label]!, distance });
    });
    if (found.length < Math.min(topK, size)) {
      // The search went through all it could reach, so the rest is cut off from the graph's entry point.
      const reached = new Set(found);
      const rest = [...(selected ?? this.#labels.values())].filter((label) => !reached.has(label));
      this.#compare(query, rest, nearest);
    }
    return nearest.sorted();
  }

  /**
   * A filtered search walks until it has met `efSearch` allowed vectors: about efSearch / (share of allowed)
   * steps. Few allowed vectors are faster compared one by one, and exactly.
   */
  #comparingIsCheaper(selected: number): boolean {
    if (!this.graph.filters) return selected < this.size;
    const steps = (this.#efSearch * this.size) / selected;
    return selected <= this.#efSearch || selected * comparisonCost <= steps;
  }

  #compare(query: Float32Array, labels: readonly number[], nearest: NearestHits): void {
    const vector = new Float32Array(query.length);
    for (const label of labels) {
      vector.set(this.graph.vectorAt(label));
      const distance = unitDistance(query, vector);
      if (distance <= nearest.threshold) nearest.offer({ id: this.#ids[label]!, distance });
    }
  }

  #labelsOf(ids: readonly string[]): number[] {
    return ids.map((id) => this.#labels.get(id)).filter((label) => label !== undefined);
  }

  #bitmap(labels: readonly number[]): Uint8Array {
    const bitmap = new Uint8Array(this.#ids.length);
    for (const label of labels) bitmap[label] = 1;
    return bitmap;
  }
}
