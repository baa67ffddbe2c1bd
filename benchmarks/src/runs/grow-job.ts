import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findBackend } from '@kettle/server/backends';
import type { Fingerprint } from '@kettle/vector-store';
import { nearest, nearestOfPrefixes, type Vectors, vectorAt, vectorCount } from '../corpus/geometry.js';
import { fitNoise, grow, grownLike, splitForFit } from '../corpus/growth.js';
import { neighbourRecall } from '../metrics/neighbours.js';
import { drawn } from '../random.js';
import type { Measurement } from '../results/results.js';
import { defaultBackend } from '../targets.js';
import { difficulty, difficultyOfStores } from './difficulty.js';
import { corpusIdOf, openStore } from './stores.js';
import type { Tell } from './tell.js';
import { settingsText } from './tuning.js';
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
  /** Ascending, each with how many of the questions are asked there, as they are drawn. */
  readonly sizes: readonly { readonly size: number; readonly questions: number }[];
}

const neighbours = 10;

/**
 * Grows the corpus to the largest size, finds the true neighbours of every question at each size that it is asked at
 * by comparing with all vectors, and measures how hard grown vectors are to search beside real ones.
 */
export async function growCorpus({ workspace, sizes }: GrowInput, tell: Tell): Promise<Measurement[]> {
  const { fingerprint } = await readJson<Prepared>(workspace, files.prepared);
  const real = await readVectors(workspace, files.passages, fingerprint.dimensions);
  const queries = await readVectors(workspace, files.queries, fingerprint.dimensions);
  tell('fitting the noise to the real vectors');
  const likeness = fitNoise(real, workspace.seed);
  const largest = sizes.at(-1)!.size;
  tell(`growing ${vectorCount(real)} passages to ${largest}`);
  const grown = grow(real, { seed: workspace.seed, size: largest, ...likeness });
  await writeVectors(workspace, files.grown, grown);
  const truth = findTruth(grown, queries, { workspace, sizes }, tell);
  await writeJson(workspace, files.truth, truth);
  const { seeds, heldOut } = splitForFit(real, workspace.seed);
  const compared = {
    real: heldOut,
    grown: grownLike(seeds, vectorCount(heldOut), likeness, workspace.seed),
  };
  tell('how hard the stores are to search');
  const measured = difficultyOfStores({ real, grown, queries, truth, seed: workspace.seed });
  for (const data of ['real', 'grown'] as const) {
    tell(`how hard ${data} passages are to search`);
    measured.push(...difficulty(compared[data], queries, { data, passages: vectorCount(compared[data]) }));
    measured.push(await weakestRecall(workspace, fingerprint, compared[data], queries, data));
  }
  return measured;
}

function findTruth(grown: Vectors, queries: Vectors, { workspace, sizes }: GrowInput, tell: Tell): Truth {
  const distances = new Map(sizes.map(({ size }) => [size, [] as number[][]]));
  for (const [place, query] of drawn(vectorCount(queries), workspace.seed).entries()) {
    if (place % 20 === 0) tell(`true neighbours of question ${place + 1}`);
    const asked = sizes.filter(({ questions }) => place < questions).map(({ size }) => size);
    nearestOfPrefixes(grown, vectorAt(queries, query), neighbours, asked).forEach((found, index) => {
      distances.get(asked[index]!)!.push(found.map(({ distance }) => distance));
    });
  }
  return { sizes: [...distances.keys()], distances: [...distances.values()] };
}

/**
 * What the default backend finds with each of its settings at its weakest, where differences between sets of vectors
 * show most.
 */
async function weakestRecall(
  workspace: Workspace,
  fingerprint: Fingerprint,
  vectors: Vectors,
  queries: Vectors,
  data: 'real' | 'grown',
): Promise<Measurement> {
  const backend = defaultBackend;
  const tunables = findBackend(backend)?.tunables ?? [];
  const tuning = Object.fromEntries(tunables.map(({ name, values }) => [name, values[0]!]));
  const directory = await mkdtemp(join(workspace.directory, 'weakest-'));
  const store = await openStore({ backend, fingerprint, directory, corpusId: corpusIdOf(directory), tuning });
  try {
    await store.upsert(
      Array.from({ length: vectorCount(vectors) }, (_, index) => ({
        id: String(index),
        vector: vectorAt(vectors, index),
      })),
    );
    const recalls: number[] = [];
    for (let query = 0; query < vectorCount(queries); query++) {
      const vector = vectorAt(queries, query);
      const truth = nearest(vectors, vector, neighbours).map(({ distance }) => distance);
      const found = await store.query(vector, neighbours);
      recalls.push(
        neighbourRecall(
          found.map(({ distance }) => distance),
          truth,
        ),
      );
    }
    const labels = { backend, data, passages: vectorCount(vectors), settings: settingsText(tuning) };
    return { metric: 'weakest_recall', labels, runs: [recalls] };
  } finally {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}
