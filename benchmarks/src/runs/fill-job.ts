import type { Fingerprint, VectorStore } from '@kettle/vector-store';
import { vectorAt, vectorCount } from '../corpus/geometry.js';
import type { Labels, Measurement } from '../results/results.js';
import { diskUsage, timed } from './resources.js';
import { corpusIdOf, forget, openStore } from './stores.js';
import type { Tell } from './tell.js';
import { settingsText, type Tuning } from './tuning.js';
import { files, type Prepared, readJson, readVectors, type Workspace } from './workspace.js';

export interface FillInput {
  readonly workspace: Workspace;
  readonly backend: string;
  /** How many of the grown passages it holds in the end. */
  readonly size: number;
  /** How the store is filled. Empty: the presets. */
  readonly build: Tuning;
  /** Where it is, empty or with what a smaller size left: then it is filled further. */
  readonly directory: string;
  /** Milliseconds that filling it took so far. */
  readonly spent: number;
}

const batch = 1000;

/** Fills a store with grown passages: how long that took from the start, and the room it takes. */
export async function measureFill(input: FillInput, tell: Tell): Promise<Measurement[]> {
  const { workspace, backend, size, build, directory } = input;
  const { fingerprint } = await readJson<Prepared>(workspace, files.prepared);
  const store = await openFor(input, fingerprint);
  try {
    const labels = withSettings({ backend, passages: size }, build);
    const storing = await fill(store, input, tell);
    return [
      { metric: 'build_storing', labels, runs: [[storing]] },
      ...(store.capabilities.persistent
        ? [{ metric: 'disk' as const, labels, runs: [[await diskUsage(directory)]] }]
        : []),
    ];
  } catch (error) {
    // Nothing goes on from it.
    await forget(store);
    throw error;
  } finally {
    await store.close();
  }
}

/** The store of that folder, with its settings. */
export function openFor(
  { backend, build, directory }: Pick<FillInput, 'backend' | 'build' | 'directory'>,
  fingerprint: Fingerprint,
): Promise<VectorStore> {
  return openStore({ backend, fingerprint, directory, corpusId: corpusIdOf(directory), tuning: build });
}

/**
 * Upserts the vectors that the store doesn't hold yet, batch by batch, so that never all of them are in memory beside
 * it. Gives the milliseconds that filling took from the start.
 */
export async function fill(
  store: VectorStore,
  { workspace, size, spent }: FillInput,
  tell: Tell,
): Promise<number> {
  const { dimensions } = store.fingerprint;
  const present = await store.count();
  let milliseconds = present > 0 ? spent : 0;
  for (let from = present; from < size; from += batch) {
    tell(`${from} of ${size} passages stored`);
    const vectors = await readVectors(workspace, files.grown, dimensions, from, Math.min(size, from + batch));
    const records = Array.from({ length: vectorCount(vectors) }, (_, index) => ({
      id: String(from + index).padStart(32, '0'),
      vector: vectorAt(vectors, index),
    }));
    milliseconds += (await timed(() => store.upsert(records))).milliseconds;
  }
  return milliseconds + (await timed(() => store.persist())).milliseconds;
}

/** Labels of a store whose settings are not the presets. */
export function withSettings(labels: Labels, tuning: Tuning): Labels {
  const settings = settingsText(tuning);
  return settings === '' ? labels : { ...labels, settings };
}
