import { VectorStoreError } from '@kettle/vector-store';
import type { Collection } from 'chromadb';

/** How the server's HNSW index trades time and memory for recall. */
export interface HnswSettings {
  /** Neighbours of each vector in the graph, HNSW's M. Fixed when the collection is made. @default 16 */
  readonly maxNeighbors: number;
  /** Candidates looked at when a vector is added. Fixed when the collection is made. @default 200 */
  readonly efConstruction: number;
  /**
   * Candidates looked at in a query: the one to raise for recall. It goes with each query, so it holds at once for
   * collections that exist. A collection of fewer vectors than this is asked for
   * all of them; where the server misses some, those of up to 1000 vectors are compared here, so they are exact.
   * @default 1000
   */
  readonly efSearch: number;
}

/** The README says where these come from. */
export const defaultHnswSettings: HnswSettings = Object.freeze({
  maxNeighbors: 16,
  efConstruction: 200,
  efSearch: 1000,
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

/**
 * The least width of a search that a collection is made with. The server takes the greater of this and the number of
 * results asked for. It reads this one only when it loads the collection: a change is accepted, shown, and without
 * effect until the server starts again. So this stays low, and queries ask for `efSearch` results.
 */
const leastWidth = 10;

/** The settings as Chroma's API has them. */
export function toConfiguration(settings: HnswSettings) {
  return {
    space: 'cosine' as const,
    max_neighbors: settings.maxNeighbors,
    ef_construction: settings.efConstruction,
    ef_search: leastWidth,
  };
}

/** Whether the server searches the collection by HNSW. Distributed servers and Chroma Cloud search by SPANN. */
export function isGraph({ configuration }: Collection): boolean {
  return configuration?.hnsw != null;
}

/** Whether an existing collection's graph was made with other settings. */
export function hasOtherGraph({ configuration }: Collection, wanted: HnswSettings): boolean {
  const found = configuration?.hnsw;
  return (
    found != null &&
    (found.max_neighbors !== wanted.maxNeighbors || found.ef_construction !== wanted.efConstruction)
  );
}
