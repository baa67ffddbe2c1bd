import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backends } from '@kettle/server/backends';
import { baselines } from '../baselines/baselines.js';
import type { Plan } from '../plan.js';
import type { Measurement } from '../results/results.js';
import { interleave, type Turn } from '../statistics/schedule.js';
import { defaultBackend, defaultMode, searchModeNames } from '../targets.js';
import type { CorpusInput } from './corpus-job.js';
import { growthPhase, growthSteps } from './growth-phase.js';
import { loop } from './plain-loop.js';
import type { Recorder } from './recorder.js';
import { wholePhase, wholeSteps } from './whole-phase.js';
import type { Workspace } from './workspace.js';

/** Where search modes are asked. */
const modeDepths: ReadonlySet<string | undefined> = new Set(['bare', 'service', 'mcp-stdio']);

/** Steps that {@link measurePhases} takes at most, and one for the preparation. */
export function stepsOf(plan: Plan): number {
  return (
    1 +
    buildTurns(plan, 0).length +
    (backends.length + searchModeNames.length - (plan.defaultTwice ? 0 : 1)) * plan.repetitions +
    baselines.length +
    growthSteps(plan) +
    2 +
    wholeSteps(plan)
  );
}

/** All measurements, in order. Inside each phase the backends take turns. */
export async function measurePhases(workspace: Workspace, plan: Plan, recorder: Recorder): Promise<void> {
  const indexes = new Map<string, string>();
  try {
    await buildPhase(workspace, plan, recorder, indexes);
    await queryPhase(workspace, plan, recorder, indexes);
    await floorPhase(workspace, plan, recorder, indexes);
    await wholePhase(workspace, plan, recorder);
    await growthPhase(workspace, plan, recorder);
  } finally {
    for (const directory of indexes.values()) await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Builds each backend's index of the corpus in fresh processes; the last of each stays, for the queries. The plain
 * loop, against which the default one is held, takes turns with them.
 */
async function buildPhase(
  workspace: Workspace,
  plan: Plan,
  recorder: Recorder,
  indexes: Map<string, string>,
): Promise<void> {
  for (const { item: backend, repetition } of buildTurns(plan, workspace.seed)) {
    if (backend === loop) {
      await recorder.attempt('the plain loop', { phase: loop }, 'loop', { workspace, repetition });
      continue;
    }
    const indexDirectory = await mkdtemp(join(workspace.directory, 'index-'));
    const input = backendInput(workspace, backend, indexDirectory, repetition, plan.questions);
    const built = await recorder.attempt(`${backend}: building`, { backend }, 'build', input);
    const superseded = built ? indexes.get(backend) : indexDirectory;
    if (built) indexes.set(backend, indexDirectory);
    if (superseded) await rm(superseded, { recursive: true, force: true });
  }
}

/** Whole rounds in which all take their turn, as far as each is to be built. */
function buildTurns({ builds }: Plan, seed: number): Turn<string>[] {
  const wanted = (name: string) => (name === defaultBackend || name === loop ? builds.default : builds.each);
  const rounds = Math.max(builds.each, builds.default);
  return interleave([...names(), loop], rounds, seed).filter(
    ({ item, repetition }) => repetition < wanted(item),
  );
}

/** Backends, and search modes through the default one's index, take turns in fresh processes. */
async function queryPhase(
  workspace: Workspace,
  plan: Plan,
  recorder: Recorder,
  indexes: ReadonlyMap<string, string>,
): Promise<void> {
  const first = recorder.measurements.length;
  const modes = searchModeNames.filter((mode) => plan.defaultTwice || mode !== defaultMode);
  const contenders = [
    ...names().map((name) => ({ contender: name, backend: name, title: `${name}: querying` })),
    // Never through another backend's index: labels of modes don't say which.
    ...modes.map((mode) => ({
      contender: mode,
      mode,
      backend: defaultBackend,
      title: `${mode} search`,
    })),
  ];
  const { repetitions, questions } = plan;
  for (const { item, repetition } of interleave(contenders, repetitions, workspace.seed + 1)) {
    const { title, ...asked } = item;
    const indexDirectory = indexes.get(item.backend);
    if (indexDirectory === undefined) {
      if (asked.contender !== item.backend)
        recorder.absent({ backend: asked.contender }, `the index of ${item.backend} was not built`);
      recorder.skip();
      continue;
    }
    const crowd = crowdOf(plan, asked.contender, repetition);
    // Not for each search mode: what HTTP adds to stdio decides nothing between them.
    const http = asked.contender === item.backend && repetition < plan.httpRounds;
    const input = {
      workspace,
      ...asked,
      indexDirectory,
      repetition,
      questions,
      http,
      ...(crowd && { crowd }),
    };
    await recorder.attempt(title, { backend: asked.contender }, 'query', input);
  }
  if (!plan.defaultTwice) {
    recorder.measurements.push(...recorder.measurements.slice(first).flatMap(asDefaultMode));
    if (!indexes.has(defaultBackend))
      recorder.absent({ backend: defaultMode }, `the index of ${defaultBackend} was not built`);
  }
  for (const { name } of baselines)
    await recorder.attempt(`baseline: ${name}`, { backend: name }, 'baseline', { workspace, name });
}

/** What the default backend's row has of the default mode, which is how it was asked. */
function asDefaultMode(measurement: Measurement): Measurement[] {
  const { metric, labels } = measurement;
  const isOfModes =
    metric === 'query'
      ? labels.clients === undefined && modeDepths.has(labels.depth)
      : metric !== 'throughput' && metric !== 'neighbour_recall';
  if (labels.backend !== defaultBackend || !isOfModes) return [];
  return [{ ...measurement, labels: { ...labels, backend: defaultMode } }];
}

/** What it takes to start, and what indexing does to others. With the default backend. */
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
  if (indexDirectory === undefined) return recorder.skip();
  await recorder.attempt('starting', { phase: 'start' }, 'start', {
    workspace,
    backend,
    indexDirectory,
    repetitions: plan.starts,
  });
}

function names(): string[] {
  return backends.map(({ name }) => name);
}

/** Many clients, in the first process of a backend: over HTTP for one, as what it adds doesn't depend on which. */
function crowdOf({ concurrency }: Plan, contender: string, repetition: number): CorpusInput['crowd'] {
  const isDefault = contender === defaultBackend;
  if (repetition > 0 || !names().includes(contender)) return undefined;
  if (concurrency.backends === 'default' && !isDefault) return undefined;
  return { ...concurrency, depths: isDefault ? ['mcp-stdio', 'mcp-http'] : ['mcp-stdio'] };
}

function backendInput(
  workspace: Workspace,
  backend: string,
  indexDirectory: string,
  repetition: number,
  questions: number,
): CorpusInput {
  return { workspace, backend, contender: backend, indexDirectory, repetition, questions };
}
