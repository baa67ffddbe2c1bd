import {
  nearestOfPrefixes,
  relativeContrasts,
  surroundings,
  type Vectors,
  vectorAt,
  vectorCount,
} from '../corpus/geometry.js';
import { fitNoise, grow, grownLike, splitForFit } from '../corpus/growth.js';
import type { Measurement } from '../results/results.js';
import type { Tell } from './jobs.js';
import {
  files,
  type Prepared,
  readJson,
  readVectors,
  type Truth,
  type Workspace,
  writeJson,
  writeVectors,
} from './workspace.js';

export interface GrowInput {
  readonly workspace: Workspace;
  /** Ascending. */
  readonly sizes: readonly number[];
}

const neighbours = 10;

/**
 * Grows the corpus to the largest size, finds the true neighbours of every question at each size by comparing
 * with all vectors, and measures how hard grown vectors are to search beside real ones.
 */
export async function growCorpus({ workspace, sizes }: GrowInput, tell: Tell): Promise<Measurement[]> {
  const { fingerprint } = await readJson<Prepared>(workspace, files.prepared);
  const real = await readVectors(workspace, files.passages, fingerprint.dimensions);
  const queries = await readVectors(workspace, files.queries, fingerprint.dimensions);
  tell('fitting the noise to the real vectors');
  const noise = fitNoise(real, workspace.seed);
  const largest = sizes.at(-1)!;
  tell(`growing ${vectorCount(real)} passages to ${largest}`);
  const grown = grow(real, { seed: workspace.seed, size: largest, noise });
  await writeVectors(workspace, files.grown, grown);
  await writeJson(workspace, files.truth, findTruth(grown, queries, sizes, tell));
  const { seeds, heldOut } = splitForFit(real, workspace.seed);
  return [
    ...difficulty(heldOut, queries, 'real'),
    ...difficulty(grownLike(seeds, vectorCount(heldOut), noise, workspace.seed), queries, 'grown'),
  ];
}

function findTruth(grown: Vectors, queries: Vectors, sizes: readonly number[], tell: Tell): Truth {
  const distances: number[][][] = sizes.map(() => []);
  for (let query = 0; query < vectorCount(queries); query++) {
    if (query % 20 === 0) tell(`true neighbours of question ${query + 1}`);
    const bySize = nearestOfPrefixes(grown, vectorAt(queries, query), neighbours, sizes);
    bySize.forEach((found, size) => {
      distances[size]!.push(found.map((neighbour) => neighbour.distance));
    });
  }
  return { sizes, distances };
}

function difficulty(vectors: Vectors, queries: Vectors, data: 'real' | 'grown'): Measurement[] {
  const labels = { data, passages: vectorCount(vectors) };
  const around = surroundings(vectors);
  return [
    { metric: 'intrinsic_dimension', labels, runs: [around.map(({ dimension }) => dimension)] },
    { metric: 'nearest_distance', labels, runs: [around.map((one) => one.nearest)] },
    { metric: 'relative_contrast', labels, runs: [relativeContrasts(vectors, queries)] },
  ];
}
