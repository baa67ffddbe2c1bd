/** How much is measured. Everything that decides the duration of a run is here. */
export interface Plan {
  readonly name: 'default' | 'quick' | 'thorough';
  /** Most documents of the corpus that take part. */
  readonly documents: number;
  /** Fresh processes that build an index, for each backend, and for the default one and the plain loop, in turn. */
  readonly builds: { readonly each: number; readonly default: number };
  /** Fresh processes that ask questions, for each backend and each search mode, in as many rounds. */
  readonly repetitions: number;
  /** Whether the default mode is asked beside the default backend, which is the same: shows what noise does. */
  readonly defaultTwice: boolean;
  /** In how many of these rounds backends are asked over HTTP too. */
  readonly httpRounds: number;
  /** Most questions that each of them asks at each depth. All questions are judged. */
  readonly questions: number;
  /** Passages in the stores of the growth measurements, ascending. */
  readonly sizes: readonly number[];
  /** One more size, for the default backend alone: the one that its target speaks of. */
  readonly targetSize: number | undefined;
  /** Most questions asked of a store at each size and setting; all of them at the target's size. */
  readonly storeQueries: number;
  /** Where stores are filled anew for values of a setting, and for which backends. */
  readonly frontier: {
    /** Sizes at which that is done for every value. */
    readonly all: readonly number[];
    /** Sizes at which it is done for the first value of each setting, where filling costs the least. */
    readonly first: readonly number[];
    readonly backends: 'all' | 'default';
  };
  /** How many stores are filled side by side, each on a core of its own; never more than there are cores. */
  readonly fillsAtOnce: number;
  /** Every value that a backend names for a setting of queries, or only the last. */
  readonly settings: 'all' | 'last';
  readonly whole: {
    /** Passages of generated folders that are indexed end to end with the default backend, ascending. */
    readonly sizes: readonly number[];
    /** The size at which the plain loop embeds the same passages, beside as many builds; with how many repetitions. */
    readonly loop: { readonly size: number; readonly repetitions: number } | undefined;
    /** Most questions asked of each in each search mode. */
    readonly questions: number;
  };
  readonly concurrency: {
    /** For each backend, or for the default one alone. */
    readonly backends: 'all' | 'default';
    readonly clients: readonly number[];
    /** Windows for each number of clients, each one sample, and their length in milliseconds. */
    readonly windows: number;
    readonly window: number;
  };
  /** Processes started of each kind. */
  readonly starts: number;
  /** Passages added while questions come in. */
  readonly added: number;
}

/** Meant to end within five minutes on two cores with the cafe's corpus; each run says what it took, and where. */
export const defaultPlan: Plan = {
  name: 'default',
  documents: Number.POSITIVE_INFINITY,
  builds: { each: 1, default: 1 },
  repetitions: 3,
  defaultTwice: false,
  httpRounds: 1,
  questions: 20,
  sizes: [1_000, 10_000, 50_000],
  targetSize: 20_000,
  storeQueries: 50,
  frontier: { all: [1_000, 10_000], first: [50_000], backends: 'default' },
  fillsAtOnce: 2,
  settings: 'all',
  whole: { sizes: [250, 750], loop: undefined, questions: 30 },
  concurrency: { backends: 'default', clients: [1, 4, 16], windows: 3, window: 250 },
  starts: 4,
  added: 100,
};

/**
 * More processes, so that intervals are narrower and fewer stand on one, and every setting of every backend at every
 * size. The reference run is one.
 */
export const thoroughPlan: Plan = {
  ...defaultPlan,
  name: 'thorough',
  builds: { each: 3, default: 5 },
  repetitions: 5,
  defaultTwice: true,
  httpRounds: 5,
  frontier: { all: defaultPlan.sizes, first: [], backends: 'all' },
  fillsAtOnce: 1,
  storeQueries: 200,
  whole: { sizes: [400, 1_500, 5_000], loop: { size: 1_500, repetitions: 3 }, questions: 100 },
  concurrency: { backends: 'all', clients: [1, 4, 16], windows: 5, window: 400 },
  starts: 10,
  added: 150,
};

/** Under a minute: to see whether everything runs, not to learn what it costs. */
export const quickPlan: Plan = {
  name: 'quick',
  documents: 8,
  builds: { each: 1, default: 1 },
  repetitions: 1,
  defaultTwice: false,
  httpRounds: 1,
  questions: 10,
  sizes: [250, 500],
  targetSize: undefined,
  storeQueries: 20,
  frontier: { all: [], first: [250], backends: 'default' },
  fillsAtOnce: 2,
  settings: 'last',
  whole: { sizes: [40, 120], loop: { size: 40, repetitions: 1 }, questions: 20 },
  concurrency: { backends: 'default', clients: [1, 4], windows: 2, window: 100 },
  starts: 1,
  added: 20,
};

/** The plan with one more size of corpus: for the stores, and for folders that are indexed end to end. */
export function withScale(plan: Plan, size: number): Plan {
  const ascending = (sizes: number[]) => [...new Set(sizes)].sort((a, b) => a - b);
  return {
    ...plan,
    sizes: ascending([...plan.sizes, size]),
    whole: {
      ...plan.whole,
      sizes: ascending([...plan.whole.sizes, ...[1_000, 10_000].filter((step) => step < size), size]),
    },
  };
}
