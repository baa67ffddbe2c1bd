/** How much is measured. Everything that decides the duration of a run is here. */
export interface Plan {
  readonly name: 'default' | 'quick';
  /** Most documents of the corpus that take part. */
  readonly documents: number;
  /** Fresh processes that build an index, for each backend, and for the default one, which has a target to meet. */
  readonly builds: { readonly each: number; readonly default: number };
  /** Fresh processes that ask all questions, for each backend. */
  readonly repetitions: number;
  /** Passages in the stores of the growth measurements, ascending. */
  readonly sizes: readonly number[];
  /** One more size, for the default backend alone: the one that its target speaks of. */
  readonly targetSize: number | undefined;
  /** Most questions asked of a store at each size and setting. */
  readonly storeQueries: number;
  /** The size at which stores are filled anew for each value of a setting. */
  readonly frontierSize: number;
  /** Every value that a backend names for a setting, or only the last. */
  readonly settings: 'all' | 'last';
  readonly concurrency: {
    /** For each backend, or for the default one alone. */
    readonly backends: 'all' | 'default';
    readonly repetitions: number;
    readonly clients: readonly number[];
    /** Milliseconds for each number of clients. */
    readonly window: number;
  };
  /** Repetitions of the plain embedding loop. */
  readonly loops: number;
  /** Processes started of each kind. */
  readonly starts: number;
  /** Passages added while questions come in. */
  readonly added: number;
}

/** Under five minutes on two quiet cores with the cafe's corpus. */
export const defaultPlan: Plan = {
  name: 'default',
  documents: Number.POSITIVE_INFINITY,
  builds: { each: 1, default: 2 },
  repetitions: 2,
  sizes: [1_000, 10_000, 50_000],
  targetSize: 20_000,
  storeQueries: 100,
  frontierSize: 10_000,
  settings: 'all',
  concurrency: { backends: 'all', repetitions: 1, clients: [1, 2, 4, 8, 16], window: 250 },
  loops: 1,
  starts: 5,
  added: 150,
};

/** Under a minute: to see whether everything runs, not to learn what it costs. */
export const quickPlan: Plan = {
  name: 'quick',
  documents: 8,
  builds: { each: 1, default: 1 },
  repetitions: 1,
  sizes: [500, 1_000],
  targetSize: undefined,
  storeQueries: 50,
  frontierSize: 500,
  settings: 'last',
  concurrency: { backends: 'default', repetitions: 1, clients: [1, 4], window: 250 },
  loops: 1,
  starts: 2,
  added: 20,
};

/** The plan with one more size of corpus. */
export function withScale(plan: Plan, size: number): Plan {
  return { ...plan, sizes: [...new Set([...plan.sizes, size])].sort((a, b) => a - b) };
}
