/** How much is measured. Everything that decides the duration of a run is here. */
export interface Plan {
  readonly name: 'default' | 'quick';
  /** Most documents of the corpus that take part. */
  readonly documents: number;
  /** Fresh processes that build an index, for each backend. */
  readonly builds: number;
  /** Fresh processes that ask all questions, for each backend. */
  readonly repetitions: number;
  /** Passages in the stores of the growth measurements, ascending. */
  readonly sizes: readonly number[];
  /** The largest size at which stores are filled anew for each value of a setting. */
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
  builds: 2,
  repetitions: 3,
  sizes: [1_000, 10_000, 20_000, 50_000],
  frontierSize: 10_000,
  settings: 'all',
  concurrency: { backends: 'all', repetitions: 1, clients: [1, 2, 4, 8, 16], window: 500 },
  loops: 2,
  starts: 7,
  added: 150,
};

/** Under a minute: to see whether everything runs, not to learn what it costs. */
export const quickPlan: Plan = {
  name: 'quick',
  documents: 8,
  builds: 1,
  repetitions: 1,
  sizes: [500, 1_000],
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
