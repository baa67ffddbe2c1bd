import { NearestHits, unitDistance, type VectorHit } from '@kettle/vector-store';
import type { HierarchicalNSW } from 'hnswlib-node';
import type { IndexSettings } from './hnsw-options.js';

export type HnswLibrary = typeof import('hnswlib-node');

const firstCapacity = 256;
const randomSeed = 100;
/** Candidates beyond `topK`, so that the smallest ids win where equal distances are cut. */
const tieRoom = 32;
/**
 * Reading a vector out of the index and comparing it takes about as long as this many steps of a filtered
 * search. Measured with 384 dimensions; the choice it decides is not sensitive to it.
 */
const comparisonCost = 15;

/** An index of hnswlib, which knows vectors by number ("label"), under string ids. */
export class LabelledIndex {
  readonly #hnsw: HierarchicalNSW;
  readonly #settings: IndexSettings;
  /** The id under each label, undefined where it was deleted. Labels are given once, in order. */
  readonly #ids: (string | undefined)[];
  readonly #labels = new Map<string, number>();

  private constructor(hnsw: HierarchicalNSW, settings: IndexSettings, ids: (string | undefined)[]) {
    this.#hnsw = hnsw;
    this.#settings = settings;
    this.#ids = ids;
    ids.forEach((id, label) => {
      if (id !== undefined) this.#labels.set(id, label);
    });
    hnsw.setEf(settings.efSearch);
  }

  static create(library: HnswLibrary, settings: IndexSettings): LabelledIndex {
    // Vectors of length 1 make the inner product the cosine, without hnswlib normalising in single precision.
    const hnsw = new library.HierarchicalNSW('ip', settings.fingerprint.dimensions);
    hnsw.initIndex(firstCapacity, settings.m, settings.efConstruction, randomSeed);
    return new LabelledIndex(hnsw, settings, []);
  }

  /** Reads what {@link save} wrote. The file must be known to be whole: hnswlib trusts what it reads. */
  static async load(
    library: HnswLibrary,
    settings: IndexSettings,
    file: string,
    ids: (string | undefined)[],
  ): Promise<LabelledIndex> {
    const hnsw = new library.HierarchicalNSW('ip', settings.fingerprint.dimensions);
    await hnsw.readIndex(file);
    if (hnsw.getCurrentCount() !== ids.length) {
      throw new Error(`the graph holds ${hnsw.getCurrentCount()} vectors, the list of ids ${ids.length}`);
    }
    return new LabelledIndex(hnsw, settings, ids);
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

  vectorAt(label: number): number[] {
    return this.#hnsw.getPoint(label);
  }

  ids(): string[] {
    return [...this.#labels.keys()];
  }

  /** The id under each label, '' where it was deleted. */
  idsByLabel(): string[] {
    return Array.from(this.#ids, (id) => id ?? '');
  }

  has(id: string, vector: readonly number[]): boolean {
    const label = this.#labels.get(id);
    return label !== undefined && this.vectorAt(label).every((value, index) => value === vector[index]);
  }

  /**
   * Adds a vector, in place of an older one under the same id. The older one is marked, not overwritten: moving
   * a vector within the graph leaves links behind that lead nowhere near it, and recall suffers.
   */
  add(id: string, vector: number[]): void {
    const label = this.#ids.length;
    // An index that was saved empty is loaded with room for nothing. To "resize" it to nothing would free its memory twice.
    if (label === this.#hnsw.getMaxElements()) this.#hnsw.resizeIndex(Math.max(firstCapacity, label * 2));
    this.#hnsw.addPoint(vector, label);
    this.delete(id);
    this.#ids.push(id);
    this.#labels.set(id, label);
  }

  /** Whether there was such a record. */
  delete(id: string): boolean {
    const label = this.#labels.get(id);
    if (label === undefined) return false;
    this.#hnsw.markDelete(label);
    this.#labels.delete(id);
    this.#ids[label] = undefined;
    return true;
  }

  /** Writes the graph. hnswlib notices no write error: check the file. */
  async save(file: string): Promise<void> {
    await this.#hnsw.writeIndex(file);
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
    const candidates = Math.min(size, Math.max(this.#settings.efSearch, topK + tieRoom));
    const { neighbors, distances } = allowed
      ? this.#hnsw.searchKnn([...query], candidates, (label) => allowed[label] === 1)
      : this.#hnsw.searchKnn([...query], candidates);
    neighbors.forEach((label, index) => {
      const distance = Math.min(2, Math.max(0, distances[index]!));
      nearest.offer({ id: this.#ids[label]!, distance });
    });
    if (neighbors.length < Math.min(topK, size)) {
      // The search went through all it could reach, so the rest is cut off from the graph's entry point.
      const found = new Set(neighbors);
      const rest = [...(selected ?? this.#labels.values())].filter((label) => !found.has(label));
      this.#compare(query, rest, nearest);
    }
    return nearest.sorted();
  }

  /**
   * A filtered search walks until it has met `efSearch` allowed vectors: about efSearch / (share of allowed)
   * steps. Few allowed vectors are faster compared one by one, and exactly.
   */
  #comparingIsCheaper(selected: number): boolean {
    const steps = (this.#settings.efSearch * this.size) / selected;
    return selected <= this.#settings.efSearch || selected * comparisonCost <= steps;
  }

  #compare(query: Float32Array, labels: readonly number[], nearest: NearestHits): void {
    const vector = new Float32Array(query.length);
    for (const label of labels) {
      vector.set(this.vectorAt(label));
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
