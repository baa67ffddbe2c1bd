import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backends, type Tunable } from '@kettle/server/backends';
import type { Plan } from '../plan.js';
import { select } from '../results/select.js';
import { defaultBackend } from '../targets.js';
import type { Recorder } from './recorder.js';
import type { StoreInput } from './store-job.js';
import { settingsText, type Tuning } from './tuning.js';
import type { Workspace } from './workspace.js';

const everyQuestion = Number.MAX_SAFE_INTEGER;

/** Steps that {@link growthPhase} takes at most. */
export function growthSteps(plan: Plan): number {
  return 1 + storeRuns(plan).length;
}

/**
 * Stores filled with grown passages, at every size and setting. A persistent store of one size is the beginning of that
 * of the next, so that nothing is stored twice; each size has a process of its own all the same.
 */
export async function growthPhase(workspace: Workspace, plan: Plan, recorder: Recorder): Promise<void> {
  const grown = await recorder.attempt('growing the corpus', { data: 'grown' }, 'grow', {
    workspace,
    sizes: grownSizes(plan).map((size) => ({
      size,
      questions: size === plan.targetSize ? everyQuestion : plan.storeQueries,
    })),
  });
  if (!grown) return;
  const kept = await mkdtemp(join(workspace.directory, 'stores-'));
  const spent = new Map<string, number>();
  /** Backends whose presets failed, and at which size: a larger one would go on from what is not there. */
  const failed = new Map<string, number>();
  try {
    for (const { backend, size, build, ...run } of storeRuns(plan)) {
      const settings = settingsText(build);
      const labels = { backend, passages: size, ...(settings && { settings }) };
      const failedAt = failed.get(backend);
      if (failedAt !== undefined) {
        recorder.absent(labels, `left out, as ${failedAt} passages with the presets failed`);
        recorder.skip();
        continue;
      }
      const title = [`${backend}, ${size} passages`, settings].filter(Boolean).join(', ');
      const store = settings === '' ? { directory: join(kept, backend) } : {};
      const input = { workspace, backend, size, build, ...run, ...store, spent: spent.get(backend) ?? 0 };
      const succeeded = await recorder.attempt(title, labels, 'store', input, storeDeadline(size));
      if (settings !== '') continue;
      if (!succeeded) failed.set(backend, size);
      const [storing] = select(recorder.measurements, 'build_storing', { ...labels, settings: undefined });
      spent.set(backend, storing?.runs[0]?.[0] ?? 0);
    }
  } finally {
    await rm(kept, { recursive: true, force: true });
  }
}

/** Milliseconds: many times what storing takes, so that only what hangs is ended. */
function storeDeadline(size: number): number {
  return 300_000 + size * 10;
}

/** All sizes to grow to, ascending. */
function grownSizes({ sizes, targetSize }: Plan): number[] {
  return [...new Set([...sizes, ...(targetSize === undefined ? [] : [targetSize])])].sort((a, b) => a - b);
}

/** The smallest size first, and backends in turn: the same minute of the machine for all of them. */
function storeRuns(plan: Plan): Omit<StoreInput, 'workspace' | 'spent'>[] {
  const { sizes, targetSize, frontier, settings, storeQueries } = plan;
  return grownSizes(plan).flatMap((size) =>
    backends.flatMap(({ name: backend, tunables = [] }) => {
      const forTarget = size === targetSize && backend === defaultBackend;
      const queries = forTarget ? everyQuestion : storeQueries;
      const common = { backend, size, queries };
      if (!forTarget && !sizes.includes(size)) return [];
      const sweeps = sizes.includes(size) ? variations(tunables, 'query', settings) : [];
      // How a store was filled shows most where a query looks at the least.
      const weakest = sweeps.slice(0, 1);
      const varied =
        frontier.sizes.includes(size) && (frontier.backends === 'all' || backend === defaultBackend);
      const rebuilt = varied ? variations(tunables, 'build', settings) : [];
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
