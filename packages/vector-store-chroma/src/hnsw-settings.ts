import { VectorStoreError } from '@kettle/vector-store';
import type { Collection } from 'chromadb';

/** How the server's HNSW index trades time and memory for recall. */
export interface HnswSettings {
  /** Neighbours of each vector in the graph, HNSW's M. Fixed when the collection is made. @default 16 */
  readonly maxNeighbors: number;
  /** Candidates looked at when a vector is added. Fixed when the collection is made. @default 200 */
  readonly efConstruction: number;
  /** Candidates looked at in a query: the one to raise for recall. Applied to existing collections too. @default 200 */
  readonly efSearch: number;
}

/** The README says where these come from. */
export const defaultHnswSettings: HnswSettings = Object.freeze({
  maxNeighbors: 16,
  efConstruction: 200,
  efSearch: 200,
});

/** @throws {VectorStoreError} `invalid_argument` for anything but integers from 1 (`maxNeighbors`: from 2). */
export function checkHnswSettings(settings: Partial<HnswSettings> = {}): HnswSettings {
  const checked = { ...defaultHnswSettings };
  for (const [name, fallback] of Object.entries(defaultHnswSettings) as [keyof HnswSettings, number][]) {
    const value = settings[name] ?? fallback;
    const least = name === 'maxNeighbors' ? 2 : 1;
    if (!Number.isInteger(value) || value < least || value > 10_000) {
      throw new VectorStoreError(
        'invalid_argument',
        `hnsw.${name} is ${value}: give an integer from ${least} to 10000.`,
      );
    }
    checked[name] = value;
  }
  return Object.freeze(checked);
}

/** The settings as Chroma's API has them. */
export function toConfiguration(settings: HnswSettings) {
  return {
    space: 'cosine' as const,
    max_neighbors: settings.maxNeighbors,
    ef_construction: settings.efConstruction,
    ef_search: settings.efSearch,
  };
}

/** What an existing collection has otherwise than wanted. Distributed servers have no HNSW, and nothing to compare. */
export function differences({ configuration }: Collection, wanted: HnswSettings) {
  const found = configuration?.hnsw;
  return {
    search: found != null && found.ef_search !== wanted.efSearch,
    graph:
      found != null &&
      (found.max_neighbors !== wanted.maxNeighbors || found.ef_construction !== wanted.efConstruction),
  };
}
