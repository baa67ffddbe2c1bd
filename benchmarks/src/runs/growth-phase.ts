import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { backends, findBackend, type Tunable } from '@kettle/server/backends';
import type { Plan } from '../plan.js';
import type { Labels } from '../results/results.js';
import { defaultBackend } from '../targets.js';
import { type FillInput, withSettings } from './fill-job.js';
import type { Recorder } from './recorder.js';
import type { StoreInput } from './store-job.js';
import { settingsText, type Tuning } from './tuning.js';
import type { Workspace } from './workspace.js';

const everyQuestion = Number.MAX_SAFE_INTEGER;

/** Steps that {@link growthPhase} takes at most. */
export function growthSteps(plan: Plan): number {
  const sizes = grownSizes(plan);
  return 1 + 2 * sizes.length + sizes.flatMap((size) => storesOf(plan, size)).length;
}

/**
 * Stores filled with grown passages, at every size and setting. A persistent store of one size is the beginning of that
 * of the next, so that nothing is stored twice. Of each size all stores are filled, then each is asked, in processes of
 * their own.
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
  const directory = await mkdtemp(join(workspace.directory, 'stores-'));
  try {
    const growth = new Growth(workspace, plan, recorder, directory);
    for (const size of grownSizes(plan)) await growth.measure(size);
  } finally {
    await removeFolder(directory);
  }
}

/** A server that was ended may write for a moment. What stays is removed with the workspace. */
async function removeFolder(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => {});
}

/** The stores of a run, from size to size. */
class Growth {
  readonly #workspace: Workspace;
  readonly #plan: Plan;
  readonly #recorder: Recorder;
  readonly #directory: string;
  /** What could not be filled or asked, and at which size: larger ones are left out. */
  readonly #failed = new Map<string, number>();
  /** Milliseconds that filling took at the last size. */
  readonly #spent = new Map<string, number>();

  constructor(workspace: Workspace, plan: Plan, recorder: Recorder, directory: string) {
    this.#workspace = workspace;
    this.#plan = plan;
    this.#recorder = recorder;
    this.#directory = directory;
  }

  async measure(size: number): Promise<void> {
    const stores = storesOf(this.#plan, size).filter((store) => this.#canBeMade(store));
    await this.#fill(size, stores);
    for (const store of stores) {
      if (this.#failed.has(nameOf(store))) this.#recorder.skip();
      else await this.#ask(store);
      if (!this.#isKept(store)) await removeFolder(this.#inputOf(store).directory);
    }
  }

  #canBeMade(store: StoreRun): boolean {
    const failedAt = this.#failed.get(nameOf(store));
    if (failedAt === undefined) return true;
    this.#recorder.absent(
      labelsOf(store),
      `left out, as it could not be filled or asked with ${failedAt} passages`,
    );
    this.#recorder.skip();
    return false;
  }

  /** Servers come first and alone: they keep more than one core busy. */
  async #fill(size: number, stores: readonly StoreRun[]): Promise<void> {
    const servers = stores.filter(isServer);
    const others = stores.filter((store) => !isServer(store));
    const sideBySide = Math.min(this.#plan.fillsAtOnce, availableParallelism());
    await this.#fillGroup(`filling servers with ${size} passages`, servers, 1);
    await this.#fillGroup(`filling stores with ${size} passages`, others, sideBySide);
  }

  /** What takes longest comes first, so that none is alone at the end for long. */
  async #fillGroup(title: string, group: readonly StoreRun[], atOnce: number): Promise<void> {
    if (group.length === 0) return this.#recorder.skip();
    const longestFirst = [...group].sort((a, b) => this.#spentOn(b) - this.#spentOn(a));
    const outputs = await this.#recorder.attemptTogether(
      title,
      'fill',
      longestFirst.map((store) => ({
        title: nameOf(store),
        labels: labelsOf(store),
        input: this.#inputOf(store),
        deadline: storeDeadline(store.size),
      })),
      atOnce,
    );
    for (const [index, store] of longestFirst.entries()) {
      const storing = outputs[index]?.find(({ metric }) => metric === 'build_storing');
      if (storing) this.#spent.set(nameOf(store), storing.runs[0]![0]!);
      else this.#failed.set(nameOf(store), store.size);
    }
  }

  async #ask(store: StoreRun): Promise<void> {
    const { size, queries, sweeps } = store;
    const input = { ...this.#inputOf(store), queries, sweeps, kept: this.#isKept(store) };
    const deadline = storeDeadline(size);
    if (!(await this.#recorder.attempt(titleOf(store), labelsOf(store), 'store', input, deadline)))
      this.#failed.set(nameOf(store), size);
  }

  #inputOf(store: StoreRun): FillInput {
    const { backend, size, build } = store;
    const directory = join(this.#directory, nameOf(store).replaceAll(/[, ]+/g, '-'));
    return { workspace: this.#workspace, backend, size, build, directory, spent: this.#spentOn(store) };
  }

  #spentOn(store: StoreRun): number {
    return this.#spent.get(nameOf(store)) ?? 0;
  }

  /** Whether a larger store goes on from it. */
  #isKept(store: StoreRun): boolean {
    if (this.#failed.has(nameOf(store))) return false;
    return grownSizes(this.#plan)
      .filter((size) => size > store.size)
      .flatMap((size) => storesOf(this.#plan, size))
      .some((larger) => nameOf(larger) === nameOf(store));
  }
}

function isServer({ backend }: StoreRun): boolean {
  return findBackend(backend)?.server === true;
}

/** The same for a store and what it grows from. */
function nameOf({ backend, build }: StoreRun): string {
  return [backend, settingsText(build)].filter(Boolean).join(', ');
}

function titleOf({ backend, size, build }: StoreRun): string {
  return [`${backend}, ${size} passages`, settingsText(build)].filter(Boolean).join(', ');
}

function labelsOf({ backend, size, build }: StoreRun): Labels {
  return withSettings({ backend, passages: size }, build);
}

/** Milliseconds: many times what storing takes, so that only what hangs is ended. */
function storeDeadline(size: number): number {
  return 300_000 + size * 10;
}

/** All sizes to grow to, ascending. */
function grownSizes({ sizes, targetSize }: Plan): number[] {
  return [...new Set([...sizes, ...(targetSize === undefined ? [] : [targetSize])])].sort((a, b) => a - b);
}

/** A store to fill and ask. */
type StoreRun = Pick<StoreInput, 'backend' | 'size' | 'queries' | 'build' | 'sweeps'>;

/** Each backend's with the presets, and where settings of filling are varied, one for each value. */
function storesOf(plan: Plan, size: number): StoreRun[] {
  const { sizes, targetSize, frontier, settings, storeQueries } = plan;
  return backends.flatMap(({ name: backend, tunables = [] }) => {
    const forTarget = size === targetSize && backend === defaultBackend;
    const queries = forTarget ? everyQuestion : storeQueries;
    const common = { backend, size, queries };
    if (!forTarget && !sizes.includes(size)) return [];
    const sweeps = sizes.includes(size) ? variations(tunables, 'query', settings) : [];
    // How a store was filled shows most where a query looks at the least.
    const weakest = variations(tunables, 'query', 'first').slice(0, 1);
    const varied = frontier.backends === 'all' || backend === defaultBackend;
    const rebuilt = varied ? variations(tunables, 'build', rebuiltAt(frontier, size)) : [];
    return [
      { ...common, build: {}, sweeps },
      ...rebuilt.map((build) => ({ ...common, build, sweeps: weakest })),
    ];
  });
}

/** Which of a setting's values. */
type Which = 'all' | 'first' | 'last' | 'none';

function rebuiltAt({ all, first }: Plan['frontier'], size: number): Which {
  if (all.includes(size)) return 'all';
  return first.includes(size) ? 'first' : 'none';
}

/** One setting at a time away from the presets. */
function variations(tunables: readonly Tunable[], applies: Tunable['applies'], which: Which): Tuning[] {
  const pick = { all: [0], first: [0, 1], last: [-1], none: [0, 0] }[which];
  return tunables
    .filter((tunable) => tunable.applies === applies)
    .flatMap(({ name, values, preset }) => {
      const others = values.filter((value) => value !== preset);
      return others.slice(...pick).map((value) => ({ [name]: value }));
    });
}
