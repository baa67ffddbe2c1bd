import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan } from '../plan.js';
import { defaultBackend } from '../targets.js';
import { loop } from './plain-loop.js';
import type { Recorder } from './recorder.js';
import type { Workspace } from './workspace.js';

/** Generated folders of growing size, indexed end to end and used in a fresh process. With the default backend. */
export async function wholePhase(workspace: Workspace, plan: Plan, recorder: Recorder): Promise<void> {
  for (const size of plan.whole.sizes) {
    const directory = await mkdtemp(join(workspace.directory, 'whole-'));
    try {
      await measureWhole(workspace, size, plan, directory, recorder);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

async function measureWhole(
  workspace: Workspace,
  size: number,
  plan: Plan,
  directory: string,
  recorder: Recorder,
): Promise<void> {
  const loops = loopsAt(plan, size);
  const backend = defaultBackend;
  const labels = { backend, passages: size };
  const deadline = wholeDeadline(size);
  const documents = join(directory, 'documents');
  const input = { workspace, backend, size, documents, questions: plan.whole.questions };
  if (!(await recorder.attempt(`generating ${size} passages`, labels, 'generate', input))) {
    for (let step = 1; step < stepsAt(loops); step++) recorder.skip();
    return;
  }
  const textsFile = join(directory, 'texts.json');
  let indexDirectory: string | undefined;
  for (let repetition = 0; repetition < Math.max(1, loops); repetition++) {
    const into = join(directory, `index-${repetition}`);
    const build = { ...input, indexDirectory: into, ...(loops > 0 && { textsFile }) };
    const title = `whole index, ${size} passages`;
    if (await recorder.attempt(title, labels, 'whole-build', build, deadline)) indexDirectory = into;
    if (repetition < loops)
      await recorder.attempt(
        'the plain loop',
        { phase: loop },
        'loop',
        { workspace, textsFile, repetition },
        deadline,
      );
  }
  if (indexDirectory === undefined) return recorder.skip();
  const use = { ...input, indexDirectory };
  await recorder.attempt(`using it, ${size} passages`, labels, 'whole-use', use, deadline);
}

/** Milliseconds: many times what embedding takes, so that only what hangs is ended. */
function wholeDeadline(size: number): number {
  return 300_000 + size * 60;
}

function loopsAt({ whole }: Plan, size: number): number {
  return whole.loop?.size === size ? whole.loop.repetitions : 0;
}

/** Steps that {@link wholePhase} takes at most. */
export function wholeSteps(plan: Plan): number {
  return plan.whole.sizes.reduce((sum, size) => sum + stepsAt(loopsAt(plan, size)), 0);
}

/** Generating, building and looping in turn, using. */
function stepsAt(loops: number): number {
  return 2 + Math.max(1, loops) + loops;
}
