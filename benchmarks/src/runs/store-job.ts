import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { VectorStore } from '@kettle/vector-store';
import { vectorAt, vectorCount } from '../corpus/geometry.js';
import { neighbourRecall } from '../metrics/neighbours.js';
import { drawn } from '../random.js';
import type { Labels, Measurement } from '../results/results.js';
import { corpusIdOf, openStore } from './kettle.js';
import { diskUsage, residentMemory, timed } from './resources.js';
import type { Tell } from './tell.js';
import { settingsText, type Tuning } from './tuning.js';
import { files, type Prepared, readJson, readVectors, type Truth, type Workspace } from './workspace.js';

export interface StoreInput {
  readonly workspace: Workspace;
  readonly backend: string;
  readonly size: number;
  /** Most questions to ask, as they are drawn. */
  readonly queries: number;
  /** How the store is filled. Empty: the presets. */
  readonly build: Tuning;
  /** What a smaller size left of a persistent store: filled further, and kept. Unset: a store of its own. */
  readonly directory?: string;
  /** Milliseconds that filling `directory` took so far. */
  readonly spent: number;
  /** Settings for the queries, tried one after the other on the filled store. Empty: only the presets. */
  readonly sweeps: readonly Tuning[];
}

const neighbours = 10;
const batch = 1000;
const warmUp = 20;

/** Fills a store with grown passages and asks all questions: cost, speed, and recall against the true neighbours. */
export async function measureStore(input: StoreInput, tell: Tell): Promise<Measurement[]> {
  const { workspace, backend, size, build } = input;
  const { fingerprint } = await readJson<Prepared>(workspace, files.prepared);
  const all = await readVectors(workspace, files.queries, fingerprint.dimensions);
  const queries = drawn(vectorCount(all), workspace.seed)
    .slice(0, input.queries)
    .map((index) => vectorAt(all, index));
  const truth = await trueDistances(workspace, size);
  const directory = input.directory ?? (await mkdtemp(join(workspace.directory, 'store-')));
  const base = { backend, passages: size };
  const open = (tuning: Tuning) =>
    openStore({ backend, fingerprint, directory, corpusId: corpusIdOf(directory), tuning });
  try {
    const before = await residentMemory();
    let store = await open(build);
    try {
      const storing = await fill(store, input, fingerprint.dimensions, tell);
      const labels = withSettings(base, build);
      const measured: Measurement[] = [{ metric: 'build_storing', labels, runs: [[storing]] }];
      if (store.capabilities.persistent) {
        // As the other settings are: from its files, not as it was filled.
        await store.close();
        store = await open(build);
      }
      measured.push(...(await ask(store, queries, truth, labels)));
      const memory = Math.max(0, (await residentMemory()) - before);
      measured.push({ metric: 'memory', labels, runs: [[memory]] });
      if (store.capabilities.persistent)
        measured.push({ metric: 'disk', labels, runs: [[await diskUsage(directory)]] });
      for (const sweep of store.capabilities.persistent ? input.sweeps : []) {
        tell(`${size} passages, ${settingsText({ ...build, ...sweep })}`);
        await store.close();
        store = await open({ ...build, ...sweep });
        measured.push(...(await ask(store, queries, truth, withSettings(base, { ...build, ...sweep }))));
      }
      return measured;
    } finally {
      // Its folder is not all there is of it.
      if (store.capabilities.shared && input.directory === undefined) await store.clear();
      await store.close();
    }
  } finally {
    if (input.directory === undefined) await rm(directory, { recursive: true, force: true });
  }
}

function withSettings(labels: Labels, tuning: Tuning): Labels {
  const settings = settingsText(tuning);
  return settings === '' ? labels : { ...labels, settings };
}

/**
 * Upserts the vectors that the store doesn't hold yet, batch by batch, so that never all of them are in memory beside
 * it. Gives the milliseconds that filling took from the start.
 */
async function fill(
  store: VectorStore,
  { workspace, size, build, spent }: StoreInput,
  dimensions: number,
  tell: Tell,
): Promise<number> {
  const present = await store.count();
  let milliseconds = present > 0 ? spent : 0;
  for (let from = present; from < size; from += batch) {
    tell([`${from} of ${size} passages stored`, settingsText(build)].filter(Boolean).join(', '));
    const vectors = await readVectors(workspace, files.grown, dimensions, from, Math.min(size, from + batch));
    const records = Array.from({ length: vectorCount(vectors) }, (_, index) => ({
      id: String(from + index).padStart(32, '0'),
      vector: vectorAt(vectors, index),
    }));
    milliseconds += (await timed(() => store.upsert(records))).milliseconds;
  }
  return milliseconds + (await timed(() => store.persist())).milliseconds;
}

async function ask(
  store: VectorStore,
  queries: readonly Float32Array[],
  truth: readonly (readonly number[])[],
  labels: Labels,
): Promise<Measurement[]> {
  for (const query of queries.slice(0, warmUp)) await store.query(query, neighbours);
  const times: number[] = [];
  const recalls: number[] = [];
  for (const [index, query] of queries.entries()) {
    const { milliseconds, value } = await timed(() => store.query(query, neighbours));
    times.push(milliseconds);
    recalls.push(
      neighbourRecall(
        value.map((hit) => hit.distance),
        truth[index]!,
      ),
    );
  }
  return [
    { metric: 'query', labels: { ...labels, depth: 'vector', state: 'warm' }, runs: [times] },
    { metric: 'neighbour_recall', labels, runs: [recalls] },
  ];
}

async function trueDistances(workspace: Workspace, size: number): Promise<readonly (readonly number[])[]> {
  const { sizes, distances } = await readJson<Truth>(workspace, files.truth);
  const index = sizes.indexOf(size);
  if (index === -1) throw new RangeError(`the true neighbours among ${size} passages were not found before`);
  return distances[index]!;
}
