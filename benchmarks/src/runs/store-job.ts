import type { VectorStore } from '@kettle/vector-store';
import { vectorAt, vectorCount } from '../corpus/geometry.js';
import { neighbourRecall } from '../metrics/neighbours.js';
import { drawn } from '../random.js';
import type { Labels, Measurement } from '../results/results.js';
import { type FillInput, fill, openFor, withSettings } from './fill-job.js';
import { residentMemory, timed } from './resources.js';
import { forget } from './stores.js';
import type { Tell } from './tell.js';
import { settingsText, type Tuning } from './tuning.js';
import { files, type Prepared, readJson, readVectors, type Truth, type Workspace } from './workspace.js';

export interface StoreInput extends FillInput {
  /** Most questions to ask, as they are drawn. */
  readonly queries: number;
  /** Settings for the queries, tried one after the other on the filled store. Empty: only the presets. */
  readonly sweeps: readonly Tuning[];
  /** Whether a larger size goes on from it. Else it is emptied where that is somebody's server. */
  readonly kept: boolean;
}

const neighbours = 10;
const warmUp = 10;

/**
 * Asks all questions of a store that was filled in another process: speed, and recall against the true neighbours. So
 * it is as it was read from its files, and its memory is what answering takes, not what filling left. Only one that has
 * no files is filled here once more.
 */
export async function measureStore(input: StoreInput, tell: Tell): Promise<Measurement[]> {
  const { workspace, backend, size, build } = input;
  const { fingerprint } = await readJson<Prepared>(workspace, files.prepared);
  const all = await readVectors(workspace, files.queries, fingerprint.dimensions);
  const queries = drawn(vectorCount(all), workspace.seed)
    .slice(0, input.queries)
    .map((index) => vectorAt(all, index));
  const truth = await trueDistances(workspace, size);
  const base = { backend, passages: size };
  const before = await residentMemory();
  let store = await openFor(input, fingerprint);
  let goesOn = false;
  try {
    if (!store.capabilities.persistent) await fill(store, input, tell);
    const present = await store.count();
    if (present !== size) throw new Error(`the store came back with ${present} of ${size} passages`);
    tell('asking');
    const labels = withSettings(base, build);
    const measured = await ask(store, queries, truth, labels);
    const memory = Math.max(0, (await residentMemory()) - before);
    measured.push({ metric: 'memory', labels, runs: [[memory]] });
    for (const sweep of store.capabilities.persistent ? input.sweeps : []) {
      const tuning = { ...build, ...sweep };
      tell(settingsText(tuning));
      await store.close();
      store = await openFor({ ...input, build: tuning }, fingerprint);
      measured.push(...(await ask(store, queries, truth, withSettings(base, tuning))));
    }
    goesOn = input.kept;
    return measured;
  } finally {
    if (!goesOn) await forget(store);
    await store.close();
  }
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
