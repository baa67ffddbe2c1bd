import { open } from 'node:fs/promises';
import { VectorStoreError } from '@kettle/vector-store';
import type { Graph, GraphEngine, IndexSettings, Neighbours } from '@kettle/vector-store-thread';
import hnswlib from 'hnswlib-node';
import { isWhole } from './graph-file.js';

const firstCapacity = 256;
const randomSeed = 100;

export const hnswlibEngine: GraphEngine = {
  name: 'hnswlib',

  create(settings) {
    const index = newIndex(settings);
    index.initIndex(firstCapacity, settings.m, settings.efConstruction, randomSeed);
    return new HnswlibGraph(index);
  },

  async load(settings, { graph }) {
    const index = newIndex(settings);
    await index.readIndex(graph!);
    return new HnswlibGraph(index);
  },
};

/** Vectors of length 1 make the inner product the cosine, without hnswlib normalising in single precision. */
function newIndex(settings: IndexSettings): hnswlib.HierarchicalNSW {
  return new hnswlib.HierarchicalNSW('ip', settings.fingerprint.dimensions);
}

class HnswlibGraph implements Graph {
  readonly filters = true;
  readonly files = { graph: (path: string) => this.#save(path) };
  readonly #index: hnswlib.HierarchicalNSW;

  constructor(index: hnswlib.HierarchicalNSW) {
    this.#index = index;
    // hnswlib keeps max(ef, count) candidates: leave it to the count alone. Loading resets ef to 10.
    index.setEf(1);
  }

  get length(): number {
    return this.#index.getCurrentCount();
  }

  add(vector: Float32Array): void {
    const label = this.length;
    // An index that was saved empty is loaded with room for nothing; "resizing" it to nothing would free its
    // memory twice.
    if (label === this.#index.getMaxElements()) this.#index.resizeIndex(Math.max(firstCapacity, label * 2));
    this.#index.addPoint([...vector], label);
  }

  remove(label: number): void {
    this.#index.markDelete(label);
  }

  vectorAt(label: number): number[] {
    return this.#index.getPoint(label);
  }

  search(query: Float32Array, count: number, allowed?: (label: number) => boolean): Neighbours {
    const { neighbors, distances } = this.#index.searchKnn([...query], count, allowed);
    return { labels: neighbors, distances };
  }

  async #save(path: string): Promise<void> {
    await this.#index.writeIndex(path);
    const file = await open(path, 'r');
    try {
      if (await isWhole(file)) return;
    } finally {
      await file.close();
    }
    throw new VectorStoreError(
      'storage_full',
      `The index file ${path} came out too short: free space on that disk and try again.`,
    );
  }
}
