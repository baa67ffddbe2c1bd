import { resolve } from 'node:path';
import { type CallOptions, checkFingerprint, type Fingerprint, VectorStoreError } from '@kettle/vector-store';

/**
 * The three numbers of HNSW (Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search
 * using Hierarchical Navigable Small World graphs", 2016). `m` and `efConstruction` shape the graph: an index
 * that was built with others is built anew. `efSearch` only concerns queries.
 */
export interface GraphParameters {
  /**
   * Links of each vector on the upper layers; twice as many on the lowest. More: better recall on hard data,
   * about 8 × m bytes more for each vector, slower inserts and queries. 2 to 100.
   * @default 16
   */
  readonly m?: number | undefined;
  /**
   * Candidates considered when a vector is linked in. More: a better graph (up to a point), proportionally
   * slower inserts; no effect on size. 1 to 10 000.
   * @default 200
   */
  readonly efConstruction?: number | undefined;
  /**
   * Candidates kept while searching. More: better recall, proportionally slower queries. A query whose `topK`
   * is as large or larger uses `topK` and some more. 1 to 10 000.
   * @default 256
   */
  readonly efSearch?: number | undefined;
}

export interface GraphOptions extends GraphParameters, CallOptions {
  /** Folder for the index files, made when needed. It belongs to this store alone; processes may share it. */
  readonly directory: string;
  readonly fingerprint: Fingerprint;
  /**
   * Milliseconds without a sign of life from the index's thread after which calls reject with `timeout`. Long work
   * gives signs of life, so this is about a library that hangs, not about how much there is to do.
   * @default 60000
   */
  readonly deadline?: number | undefined;
  /**
   * Told when stored data could not be used and the store opened empty, with the reason for a log line: files
   * damaged or missing, another file format, other graph parameters. Fill the store again.
   */
  readonly onRebuild?: ((reason: string) => void) | undefined;
}

/** What the index thread works with: everything decided, and safe to send to it. */
export interface IndexSettings {
  readonly directory: string;
  readonly fingerprint: Fingerprint;
  readonly m: number;
  readonly efConstruction: number;
  readonly efSearch: number;
  readonly deadline: number;
}

/** @throws {VectorStoreError} `invalid_argument` naming the option, its value and its range. */
export function settingsFrom(options: GraphOptions): IndexSettings {
  return Object.freeze({
    directory: resolve(options.directory),
    fingerprint: checkFingerprint(options.fingerprint),
    m: integer('m', options.m ?? 16, 2, 100),
    efConstruction: integer('efConstruction', options.efConstruction ?? 200, 1, 10_000),
    efSearch: integer('efSearch', options.efSearch ?? 256, 1, 10_000),
    deadline: integer('deadline', options.deadline ?? 60_000, 1, 3_600_000),
  });
}

function integer(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new VectorStoreError(
    'invalid_argument',
    `${name} is ${value}: give an integer from ${least} to ${most}.`,
  );
}
