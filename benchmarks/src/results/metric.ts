import type { SpreadName, SummaryName } from '../statistics/summary.js';

/** How the numbers of a metric behave: decides how they are compared and written. */
export type MetricKind =
  /** Depends on the machine and its mood. */
  | 'time'
  /** Two times of one run divided: survives a change of machine better. */
  | 'ratio'
  /** Between 0 and 1, the same on every machine. */
  | 'quality'
  /** Bytes. */
  | 'size'
  | 'count';

export interface Metric {
  readonly title: string;
  /** `ms`, `bytes`, `1/s`, or empty for plain numbers. */
  readonly unit: 'ms' | 'bytes' | '1/s' | '';
  readonly kind: MetricKind;
  readonly better: 'lower' | 'higher' | 'neither';
  /** What stands for the samples in tables. */
  readonly summary: SummaryName;
  /** What its intervals speak about. */
  readonly spread: SpreadName;
}

const time = (title: string): Metric => ({
  title,
  unit: 'ms',
  kind: 'time',
  better: 'lower',
  summary: 'median',
  spread: 'processes',
});
const quality = (title: string): Metric => ({
  title,
  unit: '',
  kind: 'quality',
  better: 'higher',
  summary: 'mean',
  spread: 'questions',
});
const size = (title: string): Metric => ({
  title,
  unit: 'bytes',
  kind: 'size',
  better: 'lower',
  summary: 'median',
  spread: 'processes',
});
const number = (title: string, better: Metric['better'] = 'neither'): Metric => ({
  title,
  unit: '',
  kind: 'count',
  better,
  summary: 'median',
  spread: 'processes',
});

/** Everything that is measured. The keys are the `metric` of the measurements in results.json. */
export const metrics = {
  build_total: time('build, whole'),
  build_reading: time('build: reading, splitting, catalog'),
  build_embedding: time('build: embedding'),
  build_storing: time('build: storing'),
  restart: time('restart with nothing changed'),
  restart_embedded: number('passages embedded at a restart with nothing changed', 'lower'),
  query: time('query'),
  query_indexing: { ...time('query while indexing'), spread: 'moments' },
  ping: { ...time('ping'), spread: 'moments' },
  start: time('start to first answer'),
  whole_total: time('first index of a generated folder, whole'),
  whole_reading: time('first index: reading, splitting, catalog'),
  whole_embedding: time('first index: embedding'),
  whole_storing: time('first index: storing'),
  whole_lag: {
    ...time('delay of the event loop during the first index'),
    summary: 'p99',
    spread: 'moments',
  },
  whole_peak_memory: size('most memory during the first index'),
  whole_memory: size('memory that an open index adds'),
  whole_disk_catalog: size('disk: catalog without the keyword index'),
  whole_disk_words: size('disk: keyword index'),
  whole_disk_store: size('disk: vector store'),
  whole_restart: time('restart of a generated folder with nothing changed'),
  whole_restart_embedded: number('passages embedded at that restart', 'lower'),
  whole_edit: time('from an edited file to the first search that finds the edit'),
  whole_query: time('query of a generated folder'),
  indexing_loop: time('plain loop: the pipeline in batches of 32'),
  disk: size('size on disk'),
  memory: size('memory'),
  throughput: {
    title: 'queries per second',
    unit: '1/s',
    kind: 'time',
    better: 'higher',
    summary: 'median',
    spread: 'processes',
  },
  recall_at_1: quality('recall@1'),
  recall_at_5: quality('recall@5'),
  hit_at_5: quality('hit@5'),
  ndcg_at_10: quality('nDCG@10'),
  mrr_at_10: quality('MRR@10'),
  neighbour_recall: quality('neighbour recall@10'),
  top_distance: { ...number('distance of the best hit'), spread: 'questions' },
  top_score: { ...number('score of the best document'), spread: 'questions' },
  intrinsic_dimension: { ...number('local intrinsic dimension'), spread: 'questions' },
  relative_contrast: { ...number('relative contrast'), spread: 'questions' },
  nearest_distance: { ...number('distance of the nearest passage'), spread: 'questions' },
  weakest_recall: quality('neighbour recall@10 at the weakest settings'),
  calibration: time('calibration: a fixed amount of arithmetic'),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;
