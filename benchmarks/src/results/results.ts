import type { Runs } from '../statistics/bootstrap.js';
import type { MetricName } from './metric.js';

/** What was measured, as opposed to how: each combination of labels is one row or one point. */
export interface Labels {
  /** Name from the registry of backends, or of a baseline. */
  readonly backend?: string;
  /** How deep the call goes: `vector`, `bare`, `service`, `mcp-stdio`, `mcp-http`. */
  readonly depth?: string;
  readonly state?: 'cold' | 'warm';
  /** Number of passages in the store. */
  readonly passages?: number;
  /** Queries under way at any time. */
  readonly clients?: number;
  /** A backend's settings where they are not the defaults, such as `M 16, ef_search 40`. */
  readonly settings?: string;
  /** Which vectors: `real` or `grown`. */
  readonly data?: string;
  /** Whether the corpus holds an answer to the questions. */
  readonly answerable?: boolean;
  readonly phase?: string;
  /** SEARCH_MODE, where one measurement is made in each. */
  readonly mode?: string;
}

export interface Measurement {
  readonly metric: MetricName;
  readonly labels: Labels;
  /** Raw samples, one list for each repetition; nothing is left out. */
  readonly runs: Runs;
  /**
   * The round that each run was made in. Runs of one metric with the same number took turns with each other, so that
   * they can be compared round by round. Absent where that is not known.
   */
  readonly rounds?: readonly number[];
}

/** Something that could not be measured in this run. */
export interface Absence {
  readonly labels: Labels;
  readonly reason: string;
}

/** A backend or a baseline that appears in the tables and plots. */
export interface Contender {
  readonly name: string;
  readonly summary: string;
  readonly kind: 'backend' | 'search-mode' | 'baseline';
}

/** One step of the run, from its start to its end: one process, or several where stores are filled. */
export interface Step {
  /** What it did: `prepare`, `build`, `query`, `store` … */
  readonly job: string;
  /** As progress called it. */
  readonly title: string;
  readonly seconds: number;
}

export interface Method {
  readonly date: string;
  readonly command: string;
  readonly plan: string;
  /** All that the plan says besides its name, which may change from version to version; runs of before don't say. */
  readonly counts?: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly repetitions: number;
  /** SEARCH_MODE of the backends' rows wherever a SearchService or a server answers. */
  readonly searchMode: string;
  /** Seconds that the whole run took. */
  readonly seconds: number;
  /** Where they went; runs of before don't say. */
  readonly steps?: readonly Step[];
  readonly git: { readonly commit: string; readonly dirty: boolean };
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryBytes: number;
    readonly system: string;
    readonly node: string;
  };
  /** Versions of the packages whose speed is measured. */
  readonly packages: Readonly<Record<string, string>>;
}

export interface CorpusFacts {
  readonly name: string;
  readonly documents: number;
  readonly passages: number;
  readonly characters: number;
  readonly model: string;
  readonly dimensions: number;
  /** Ids of the judged questions that have an answer: the order of the samples of quality metrics. */
  readonly answerable: readonly string[];
  /** Ids of the questions without an answer: the order of those of `top_distance` and `top_score`. */
  readonly unanswerable: readonly string[];
  /**
   * The highest mean recall@1 and recall@5 that the judgments allow: a question with eight relevant documents can't
   * get beyond 5/8 among the first five. Null without judgments.
   */
  readonly recallCeiling: { readonly at1: number; readonly at5: number } | null;
}

export interface Target {
  /** Rows with the same id are one target, at several sizes. Absent in results of before. */
  readonly id?: string;
  readonly title: string;
  readonly limit: number;
  readonly sense: 'at most' | 'at least';
  readonly unit: '' | 'ms';
  /** Null when it could not be measured. */
  readonly value: number | null;
  /** Null also where the samples tell nothing of the spread: one process on a side. Without width where value is exact. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Null with a value: too close to tell, or one process only. Null without: not measured. */
  readonly met: boolean | null;
  /** How the value came about. */
  readonly note: string;
}

/** The whole of results.json. */
export interface Results {
  readonly schemaVersion: 1;
  readonly method: Method;
  readonly corpus: CorpusFacts;
  readonly contenders: readonly Contender[];
  readonly measurements: readonly Measurement[];
  readonly absences: readonly Absence[];
  readonly targets: readonly Target[];
}
