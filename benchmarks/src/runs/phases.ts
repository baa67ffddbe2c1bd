import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backends, type Tunable } from '@kettle/server/backends';
import { baselines } from '../baselines/baselines.js';
import type { Plan } from '../plan.js';
import { interleave, type Turn } from '../statistics/schedule.js';
import { defaultBackend } from '../targets.js';
import type { CorpusInput } from './corpus-job.js';
import type { Recorder } from './recorder.js';
import type { StoreInput } from './store-job.js';
import type { Tuning } from './tuning.js';
import type { Workspace } from './workspace.js';

const modes = ['vector', 'keyword', 'hybrid'] as const;

/** Steps that {@link measurePhases} takes at most, and one for the preparation. */
export function stepsOf(plan: Plan): number {
  return (
    1 +
    buildTurns(plan, 0).length +
    backends.length * plan.repetitions +
    modes.length +
    baselines.length +
    1 +
    storeRuns(plan).length +
    concurrent(plan).length * plan.concurrency.repetitions +
    1 +
    plan.loops +
    1
  );
}

/** All measurements, in order. Inside each phase the backends take turns. */
export async function measurePhases(workspace: Workspace, plan: Plan, recorder: Recorder): Promise<void> {
  const indexes = new Map<string, string>();
  try {
    await buildPhase(workspace, plan, recorder, indexes);
    await queryPhase(workspace, plan, recorder, indexes);
    await concurrencyPhase(workspace, plan, recorder, indexes);
    await floorPhase(workspace, plan, recorder, indexes);
    await growthPhase(workspace, plan, recorder);
  } finally {
    for (const directory of indexes.values()) await rm(directory, { recursive: true, force: true });
  }
}

/** Builds each backend's index of the corpus in fresh processes; the last of each stays, for the queries. */
async function buildPhase(
  workspace: Workspace,
  plan: Plan,
  recorder: Recorder,
  indexes: Map<string, string>,
): Promise<void> {
  for (const { item: backend, repetition } of buildTurns(plan, workspace.seed)) {
    const indexDirectory = await mkdtemp(join(workspace.directory, 'index-'));
    const input = backendInput(workspace, backend, indexDirectory, repetition);
    const built = await recorder.attempt(`${backend}: building`, { backend }, 'build', input);
    const superseded = built ? indexes.get(backend) : indexDirectory;
    if (built) indexes.set(backend, indexDirectory);
    if (superseded) await rm(superseded, { recursive: true, force: true });
  }
}

/** Whole rounds in which all take their turn, as far as each is to be built. */
function buildTurns({ builds }: Plan, seed: number): Turn<string>[] {
  const wanted = (name: string) => (name === defaultBackend ? builds.default : builds.each);
  const rounds = Math.max(builds.each, builds.default);
  return interleave(names(), rounds, seed).filter(({ item, repetition }) => repetition < wanted(item));
}

async function queryPhase(
  workspace: Workspace,
  plan: Plan,
  recorder: Recorder,
  indexes: ReadonlyMap<string, string>,
): Promise<void> {
  for (const { item: backend, repetition } of interleave(names(), plan.repetitions, workspace.seed + 1)) {
    const indexDirectory = indexes.get(backend);
    if (indexDirectory === undefined) {
      recorder.skip();
      continue;
    }
    const input = backendInput(workspace, backend, indexDirectory, repetition);
    await recorder.attempt(`${backend}: querying`, { backend }, 'query', input);
  }
  const indexDirectory = indexes.get(defaultBackend) ?? [...indexes.values()][0];
  for (const mode of modes) {
    if (indexDirectory === undefined) {
      recorder.skip();
      continue;
    }
    const backend = indexes.has(defaultBackend) ? defaultBackend : [...indexes.keys()][0]!;
    const input = { workspace, backend, contender: mode, mode, indexDirectory, repetition: 0 };
    await recorder.attempt(`${mode} search`, { backend: mode }, 'query', input);
  }
  for (const { name } of baselines)
    await recorder.attempt(`baseline: ${name}`, { backend: name }, 'baseline', { workspace, name });
}

async function concurrencyPhase(
  workspace: Workspace,
  plan: Plan,
  recorder: Recorder,
  indexes: ReadonlyMap<string, string>,
): Promise<void> {
  const { repetitions, clients, window } = plan.concurrency;
  for (const { item: backend } of interleave(concurrent(plan), repetitions, workspace.seed + 2)) {
    const indexDirectory = indexes.get(backend);
    if (indexDirectory === undefined) {
      recorder.skip();
      continue;
    }
    const input = { workspace, backend, indexDirectory, clients, window };
    await recorder.attempt(`${backend}: many clients`, { backend }, 'concurrency', input);
  }
}

/** What ratios need: the loop, the start, and what indexing does to others. With the default backend. */
async function floorPhase(
  workspace: Workspace,
  plan: Plan,
  recorder: Recorder,
  indexes: ReadonlyMap<string, string>,
): Promise<void> {
  const backend = defaultBackend;
  const indexDirectory = indexes.get(backend);
  await recorder.attempt('while indexing', { phase: 'indexing' }, 'indexing', {
    workspace,
    backend,
    added: plan.added,
  });
  for (let loop = 0; loop < plan.loops; loop++)
    await recorder.attempt('the plain loop', { phase: 'plain loop' }, 'loop', { workspace });
  if (indexDirectory === undefined) recorder.skip();
  else
    await recorder.attempt('starting', { phase: 'start' }, 'start', {
      workspace,
      backend,
      indexDirectory,
      repetitions: plan.starts,
    });
}

async function growthPhase(workspace: Workspace, plan: Plan, recorder: Recorder): Promise<void> {
  const grown = await recorder.attempt('growing the corpus', { data: 'grown' }, 'grow', {
    workspace,
    sizes: grownSizes(plan),
  });
  if (!grown) return;
  const failed = new Set<string>();
  for (const run of storeRuns(plan)) {
    const { backend, size } = run;
    if (failed.has(backend)) {
      recorder.skip();
      continue;
    }
    const title = `${backend}, ${size} passages`;
    const labels = { backend, passages: size };
    if (!(await recorder.attempt(title, labels, 'store', { workspace, ...run }))) failed.add(backend);
  }
}

/** All sizes to grow to, ascending. */
function grownSizes({ sizes, targetSize }: Plan): number[] {
  return [...new Set([...sizes, ...(targetSize === undefined ? [] : [targetSize])])].sort((a, b) => a - b);
}

/** The smallest size first, and backends in turn: the same minute of the machine for all of them. */
function storeRuns(plan: Plan): Omit<StoreInput, 'workspace'>[] {
  const { sizes, frontierSize, settings, storeQueries: queries } = plan;
  return grownSizes(plan).flatMap((size) =>
    backends.flatMap(({ name: backend, tunables = [] }) => {
      const common = { backend, size, queries };
      const forTarget = !sizes.includes(size);
      if (forTarget && backend !== defaultBackend) return [];
      const sweeps = forTarget ? [] : variations(tunables, 'query', settings);
      // How a store was filled shows most where a query looks at the least.
      const weakest = sweeps.slice(0, 1);
      const rebuilt = size === frontierSize ? variations(tunables, 'build', settings) : [];
      return [
        { ...common, build: {}, sweeps },
        ...rebuilt.map((build) => ({ ...common, build, sweeps: weakest })),
      ];
    }),
  );
}

/** One setting at a time away from the presets. */
function variations(
  tunables: readonly Tunable[],
  applies: Tunable['applies'],
  which: Plan['settings'],
): Tuning[] {
  return tunables
    .filter((tunable) => tunable.applies === applies)
    .flatMap(({ name, values, preset }) => {
      const others = values.filter((value) => value !== preset);
      return (which === 'all' ? others : others.slice(-1)).map((value) => ({ [name]: value }));
    });
}

function names(): string[] {
  return backends.map(({ name }) => name);
}

function concurrent(plan: Plan): string[] {
  return names().filter((name) => plan.concurrency.backends === 'all' || name === defaultBackend);
}

function backendInput(
  workspace: Workspace,
  backend: string,
  indexDirectory: string,
  repetition: number,
): CorpusInput {
  return { workspace, backend, contender: backend, indexDirectory, repetition };
}
