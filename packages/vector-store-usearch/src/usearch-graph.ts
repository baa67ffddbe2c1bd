import { readFile, writeFile } from 'node:fs/promises';
import { unitDistance, VectorStoreError } from '@kettle/vector-store';
import type { Graph, GraphEngine, IndexSettings, Neighbours } from '@kettle/vector-store-thread';
import { Index, MetricKind, ScalarKind } from 'usearch';

const firstCapacity = 256;

export const usearchEngine: GraphEngine = {
  name: 'usearch',

  create(settings) {
    return new UsearchGraph(newIndex(settings), settings.fingerprint.dimensions, new Float32Array());
  },

  async load(settings, { graph, vectors }) {
    const index = newIndex(settings);
    const bytes = await readFile(vectors!);
    const matrix = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    if (matrix.length > 0) index.load(graph!);
    return new UsearchGraph(index, settings.fingerprint.dimensions, matrix);
  },
};

function newIndex(settings: IndexSettings): Index {
  return new Index({
    dimensions: settings.fingerprint.dimensions,
    metric: MetricKind.IP,
    // Half precision finds the candidates; their distances are then computed from the vectors as they are.
    quantization: ScalarKind.F16,
    connectivity: settings.m,
    expansion_add: settings.efConstruction,
    expansion_search: settings.efSearch,
    multi: false,
  });
}

/** usearch says "Failed to serialize into stream" when a write fails, whatever the reason; a full disk is the usual one. */
function saveIndex(index: Index, path: string): void {
  try {
    index.save(path);
  } catch (error) {
    if (!/serialize/i.test(String(error))) throw error;
    throw new VectorStoreError(
      'storage_full',
      `The index file ${path} could not be written in full: free space on that disk and try again.`,
      { cause: error },
    );
  }
}

/** usearch gives no vector back, so they are also kept here, one after the other, by label. */
class UsearchGraph implements Graph {
  readonly filters = false;
  readonly files = {
    graph: async (path: string) => saveIndex(this.#index, path),
    vectors: (path: string) => writeFile(path, this.#matrix.subarray(0, this.#length * this.#dimensions)),
  };
  readonly #index: Index;
  readonly #dimensions: number;
  #matrix: Float32Array;
  #length: number;

  constructor(index: Index, dimensions: number, matrix: Float32Array) {
    this.#index = index;
    this.#dimensions = dimensions;
    this.#matrix = matrix;
    this.#length = matrix.length / dimensions;
  }

  get length(): number {
    return this.#length;
  }

  add(vector: Float32Array): void {
    const offset = this.#length * this.#dimensions;
    if (offset === this.#matrix.length) {
      const grown = new Float32Array(Math.max(firstCapacity * this.#dimensions, offset * 2));
      grown.set(this.#matrix);
      this.#matrix = grown;
    }
    this.#index.add(BigInt(this.#length), vector, 1);
    this.#matrix.set(vector, offset);
    this.#length++;
  }

  /**
   * Only marks the label, by a vector that is none. usearch 2.21 has a removal of its own, but after all of an
   * index was removed and filled again it found removed labels.
   */
  remove(label: number): void {
    this.#matrix[label * this.#dimensions] = Number.NaN;
  }

  vectorAt(label: number): Float32Array {
    return this.#matrix.subarray(label * this.#dimensions, (label + 1) * this.#dimensions);
  }

  search(query: Float32Array, count: number): Neighbours {
    for (let wanted = count; ; wanted *= 2) {
      const { keys } = this.#index.search(query, Math.min(wanted, this.#length), 1);
      const labels = Array.from(keys, Number).filter((label) => !this.#isRemoved(label));
      // Removed vectors crowd out others: look farther until there are enough.
      if (labels.length < count && wanted < this.#length) continue;
      const distances = labels.map((label) => unitDistance(query, this.#matrix, label * this.#dimensions));
      return { labels, distances };
    }
  }

  #isRemoved(label: number): boolean {
    return Number.isNaN(this.#matrix[label * this.#dimensions]);
  }
}
