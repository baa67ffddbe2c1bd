import type { SearchMode } from '@kettle/search';
import type { MetricName } from './results/metric.js';
import type { CorpusFacts, Measurement, Target } from './results/results.js';
import { select } from './results/select.js';
import { bootstrapInterval, bootstrapRatio, type Runs, type Statistic } from './statistics/bootstrap.js';
import { mean, median, quantile } from './statistics/quantile.js';

/** What the targets are about: the backend that Kettle uses when nobody chooses. */
export const defaultBackend = 'hnsw';

/** How Kettle searches when nobody chooses. Every backend is measured that way, so that figures are what users get. */
export const defaultMode: SearchMode = 'hybrid';

/** The mode whose floor is the bare embedding and vector query: the same question, with nothing around it. */
export const floorMode: SearchMode = 'vector';

export const searchModeNames: readonly SearchMode[] = ['vector', 'keyword', 'hybrid'];

type Goal = Pick<Target, 'title' | 'limit' | 'sense' | 'unit' | 'note'>;
type Value = Pick<Target, 'value' | 'interval'>;
type Labels = Parameters<typeof select>[2];

const unmeasured: Value = { value: null, interval: null };

/**
 * Holds the design's targets against what was measured.
 *
 * @param recallCeiling what the judgments allow; null without judgments
 */
export function judgeTargets(
  measurements: readonly Measurement[],
  recallCeiling: CorpusFacts['recallCeiling'],
  backend = defaultBackend,
): Target[] {
  const runsOf = (metric: MetricName, labels: Labels): Runs | undefined =>
    select(measurements, metric, labels)[0]?.runs;
  const ratio = (a: Runs | undefined, b: Runs | undefined): Value =>
    a && b
      ? {
          value: median(b.flat()) / median(a.flat()),
          interval: isAlone(a) && isAlone(b) ? null : bootstrapRatio(a, b, median),
        }
      : unmeasured;
  const single = (runs: Runs | undefined, statistic: Statistic): Value =>
    runs
      ? {
          value: statistic(Float64Array.from(runs.flat())),
          interval: isAlone(runs) ? null : bootstrapInterval(runs, statistic),
        }
      : unmeasured;

  const warm = { backend, state: 'warm', settings: undefined, clients: undefined } as const;
  const goals: [Goal, Value][] = [
    [
      {
        title: `${floorMode} search over MCP stdio, against the same embedding and vector query called bare`,
        limit: 1.1,
        sense: 'at most',
        unit: '',
        note: 'ratio of the medians, questions taking turns in one process',
      },
      ratio(
        runsOf('query', { ...warm, backend: floorMode, depth: 'bare' }),
        runsOf('query', { ...warm, backend: floorMode, depth: 'mcp-stdio' }),
      ),
    ],
    ...indexingGoals(measurements, backend, ratio),
    [
      {
        title: 'start to the reply to initialize, against starting bare Node',
        limit: 8,
        sense: 'at most',
        unit: '',
        note: 'ratio of the medians',
      },
      ratio(runsOf('start', { phase: 'bare node' }), runsOf('start', { phase: 'initialize' })),
    ],
    [
      {
        title: 'passages embedded at a restart with nothing changed',
        limit: 0,
        sense: 'at most',
        unit: '',
        note: 'largest of all restarts',
      },
      single(runsOf('restart_embedded', { backend }), (samples) => Math.max(...samples)),
    ],
    [
      {
        title: 'ping while indexing, 99th percentile',
        limit: 20,
        sense: 'at most',
        unit: 'ms',
        note: 'over MCP stdio, while a server builds its first index',
      },
      single(runsOf('ping', { backend, phase: 'indexing' }), (samples) => quantile(samples, 0.99)),
    ],
    [
      {
        title: `recall@10 of ${backend} against exact search among 20 000 passages`,
        limit: 0.99,
        sense: 'at least',
        unit: '',
        note: 'default settings, mean over the questions',
      },
      single(runsOf('neighbour_recall', { backend, passages: 20_000, settings: undefined }), mean),
    ],
    [
      {
        title: `recall@5 on the judgments${recallCeiling ? `, which allow ${recallCeiling.at5.toFixed(3)}` : ''}`,
        limit: 0.98,
        sense: 'at least',
        unit: '',
        note: `mean over the questions, ${defaultMode} search; five documents can't hold more than five relevant ones`,
      },
      single(runsOf('recall_at_5', { backend }), mean),
    ],
    [
      {
        title: 'nDCG@10 on the judgments',
        limit: 0.9,
        sense: 'at least',
        unit: '',
        note: `mean over the questions, ${defaultMode} search`,
      },
      single(runsOf('ndcg_at_10', { backend }), mean),
    ],
  ];
  return goals.map(([goal, value]) => ({ ...goal, ...value, met: isMet(goal, value.value) }));
}

/** One for each number of passages that both the plain loop and Kettle went through, the corpus itself first. */
function indexingGoals(
  measurements: readonly Measurement[],
  backend: string,
  ratio: (a: Runs | undefined, b: Runs | undefined) => Value,
): [Goal, Value][] {
  const goal = {
    limit: 2.5,
    sense: 'at least',
    unit: '',
    note: 'times of the loop, which only embeds, divided by those of the whole build, processes in turn; both with the model loaded, Kettle starting its further processes within its time',
  } as const;
  const title = 'indexing, against the plain loop of batches of 32 through the pipeline';
  const loops = select(measurements, 'indexing_loop');
  if (loops.length === 0) return [[{ ...goal, title }, unmeasured]];
  return loops.map(({ labels: { passages }, runs }) => {
    const at = { backend, passages };
    const [build] = [...select(measurements, 'build_total', at), ...select(measurements, 'whole_total', at)];
    return [{ ...goal, title: `${title}, ${passages} passages` }, ratio(build?.runs, runs)];
  });
}

/** One sample says nothing of how it varies: an interval from it would have no width. */
function isAlone(runs: Runs): boolean {
  return runs.flat().length === 1;
}

function isMet({ limit, sense }: Goal, value: number | null): boolean | null {
  if (value === null) return null;
  return sense === 'at most' ? value <= limit : value >= limit;
}
