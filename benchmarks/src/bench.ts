import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backends } from '@kettle/server/backends';
import { baselines } from './baselines/baselines.js';
import { readJudgments } from './corpus/judgments.js';
import { makeWorkspace } from './corpus/workspace-corpus.js';
import { readCommit, readMachine, readVersions } from './method.js';
import { type Grades, recallCeilingAt } from './metrics/ranking.js';
import type { Plan } from './plan.js';
import type { Progress } from './progress.js';
import type { Contender, CorpusFacts, Results } from './results/results.js';
import { mergeRepetitions } from './results/select.js';
import { model } from './runs/kettle.js';
import { measurePhases, stepsOf } from './runs/phases.js';
import { Recorder } from './runs/recorder.js';
import type { Prepared } from './runs/workspace.js';
import { mean } from './statistics/quantile.js';
import { defaultMode, judgeTargets } from './targets.js';

/** What to measure, and on what. Paths are absolute. */
export interface BenchOptions {
  readonly plan: Plan;
  readonly seed: number;
  /** Folder of the corpus: documents, or a corpus.json, or a corpus.jsonl in BEIR layout. */
  readonly corpus: string;
  readonly queries: string;
  readonly qrels?: string;
  /** As it was typed, for the record. */
  readonly command: string;
  readonly signal?: AbortSignal;
}

/** Each search mode, through the default backend's index: rows beside the backends, which use the default mode. */
export const searchModes: readonly Contender[] = [
  { name: 'vector', kind: 'search-mode', summary: 'SEARCH_MODE=vector: by meaning alone' },
  {
    name: 'keyword',
    kind: 'search-mode',
    summary: 'SEARCH_MODE=keyword: the full-text index of the catalog',
  },
  { name: 'hybrid', kind: 'search-mode', summary: 'SEARCH_MODE=hybrid: by meaning and by words' },
];

/** Everything that gets a row: whatever is registered, the search modes, the baselines. */
export function allContenders(): Contender[] {
  return [
    ...backends.map(({ name, summary }) => ({ name, summary, kind: 'backend' as const })),
    ...searchModes,
    ...baselines.map(({ name, summary }) => ({ name, summary, kind: 'baseline' as const })),
  ];
}

/** Number of steps that {@link runBenchmark} will report. */
export function countSteps(plan: Plan): number {
  return stepsOf(plan);
}

/** Runs the whole benchmark. A backend that fails costs its rows, not the run: the reason is in `absences`. */
export async function runBenchmark(options: BenchOptions, progress: Progress): Promise<Results> {
  const started = Date.now();
  const directory = await mkdtemp(join(tmpdir(), 'kettle-bench-'));
  try {
    const workspace = await makeWorkspace(directory, {
      ...options,
      warn: (message) => progress.note(`bench: ${message}`),
    });
    const recorder = new Recorder(progress, options.signal);
    const prepared = await recorder.require('preparing the corpus', 'prepare', workspace);
    await measurePhases(workspace, options.plan, recorder);
    const measurements = mergeRepetitions(recorder.measurements);
    const corpus = await corpusFacts(workspace.corpusName, prepared, workspace);
    return {
      schemaVersion: 1,
      method: {
        date: new Date(started).toISOString(),
        command: options.command,
        plan: options.plan.name,
        counts: countsOf(options.plan),
        seed: options.seed,
        repetitions: options.plan.repetitions,
        searchMode: defaultMode,
        seconds: Math.round((Date.now() - started) / 1000),
        steps: recorder.steps.map((step) => ({ ...step, seconds: Number(step.seconds.toFixed(2)) })),
        git: await readCommit(),
        machine: await readMachine(),
        packages: await readVersions(),
      },
      corpus,
      contenders: allContenders(),
      measurements,
      absences: recorder.absences,
      targets: judgeTargets(measurements, corpus.recallCeiling),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** As JSON holds it: no limit is left out. */
function countsOf({ name: _, ...counts }: Plan): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(counts).filter(([, value]) => value !== undefined && value !== Number.POSITIVE_INFINITY),
  );
}

async function corpusFacts(
  name: string,
  { documents, texts, characters, fingerprint }: Prepared,
  files: { readonly queriesFile: string; readonly qrelsFile?: string },
): Promise<CorpusFacts> {
  const { answerable, unanswerable } = await readJudgments(files.queriesFile, files.qrelsFile);
  return {
    name,
    documents: documents.length,
    passages: texts.length,
    characters,
    model: `${model}, files ${fingerprint.model.slice(0, 12)}`,
    dimensions: fingerprint.dimensions,
    answerable: [...answerable.keys()],
    unanswerable: [...unanswerable],
    recallCeiling: ceilingOf([...answerable.values()]),
  };
}

function ceilingOf(judged: readonly Grades[]): CorpusFacts['recallCeiling'] {
  if (judged.length === 0) return null;
  const at = (k: number) => mean(judged.map((grades) => recallCeilingAt(k, grades)));
  return { at1: at(1), at5: at(5) };
}
