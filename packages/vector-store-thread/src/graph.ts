import type { IndexSettings } from './graph-options.js';

/** What a graph library finds: labels and their cosine distances, in any order. */
export interface Neighbours {
  readonly labels: ArrayLike<number>;
  readonly distances: ArrayLike<number>;
}

/** Vectors of length 1 under numbers ("labels"), searched approximately: what a library has to offer. */
export interface Graph {
  /** Labels given so far, removed ones included. */
  readonly length: number;
  /** Whether `search` takes a filter. Without one, selected vectors are compared one by one. */
  readonly filters: boolean;
  /** Adds a vector under the label `length`. */
  add(vector: Float32Array): void;
  /** Never finds this label again. Its vector may still take space. */
  remove(label: number): void;
  /** The vector of a label that was not removed. */
  vectorAt(label: number): ArrayLike<number>;
  /**
   * The nearest, at least `count`, from as many candidates; fewer only when the search could reach no more.
   * `count` is never below the settings' `efSearch` unless there are fewer vectors.
   */
  search(query: Float32Array, count: number, allowed?: (label: number) => boolean): Neighbours;
  /** Writes the graph to files, one for each name, under the paths it is given. Rejects unless they are whole. */
  readonly files: Readonly<Record<string, (path: string) => Promise<void>>>;
}

/** One graph library. */
export interface GraphEngine {
  /** Written beside the data: files of another engine are not read. */
  readonly name: string;
  create(settings: IndexSettings): Graph;
  /** Reads what `Graph.files` wrote. The files have been checked to be as they were written. */
  load(settings: IndexSettings, paths: Readonly<Record<string, string>>): Promise<Graph>;
}
