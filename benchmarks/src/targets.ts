import type { SearchMode } from '@kettle/search';
import { type MetricName, metrics } from './results/metric.js';
import type { CorpusFacts, Measurement, Results, Target } from './results/results.js';
import { select } from './results/select.js';
import type { Statistic } from './statistics/bootstrap.js';
import { processRatio } from './statistics/processes.js';
import { mean } from './statistics/quantile.js';
import { percentile, spreadOf, statisticOf } from './statistics/summary.js';

/** What the targets are about: the backend that Kettle uses when nobody chooses. */
export const defaultBackend = 'hnsw';

/** How Kettle searches when nobody chooses. Every backend is measured that way, so that figures are what users get. */
export const defaultMode: SearchMode = 'hybrid';

/** The mode whose floor is the bare embedding and vector query: the same question, with nothing around it. */
export const floorMode: SearchMode = 'vector';

export const searchModeNames: readonly SearchMode[] = ['vector', 'keyword', 'hybrid'];

type Goal = Pick<Target, 'id' | 'title' | 'limit' | 'sense' | 'unit' | 'note'> & { readonly id: string };
type Value = Pick<Target, 'value' | 'interval'>;
type Labels = Parameters<typeof select>[2];

const unmeasured: Value = { value: null, interval: null };

/**
 * Holds the design's targets against what was measured. A target is met, or missed, when the whole interval of its
 * value is on that side of the limit; without an interval nothing is decided, except for counts, which are exact.
 *
 * @param recallCeiling what the judgments allow; null without judgments
 */
export function judgeTargets(
  measurements: readonly Measurement[],
  recallCeiling: CorpusFacts['recallCeiling'],
  backend = defaultBackend,
): Target[] {
  const one = (metric: MetricName, labels: Labels): Measurement | undefined =>
    select(measurements, metric, labels)[0];
  const single = (found: Measurement | undefined, statistic: Statistic): Value =>
    found
      ? {
          value: statistic(Float64Array.from(found.runs.flat())),
          interval: spreadOf(found.runs, statistic, metrics[found.metric].spread),
        }
      : unmeasured;

  const warm = { state: 'warm', settings: undefined, clients: undefined } as const;
  const goals: [Goal, Value][] = [
    [
      {
        id: 'floor',
        title: `${floorMode} search over MCP stdio, against the same embedding and vector query called bare`,
        limit: 1.1,
        sense: 'at most',
        unit: '',
        note: 'ratio of the medians, questions taking turns in one process; geometric mean over the processes',
      },
      ratioOf(
        one('query', { ...warm, backend: floorMode, depth: 'bare' }),
        one('query', { ...warm, backend: floorMode, depth: 'mcp-stdio' }),
      ),
    ],
    ...indexingGoals(measurements, backend),
    [
      {
        id: 'start',
        title: 'start to the reply to initialize, against starting bare Node',
        limit: 8,
        sense: 'at most',
        unit: '',
        note: 'geometric mean of the ratios, start by start',
      },
      ratioOf(one('start', { phase: 'bare node' }), one('start', { phase: 'initialize' })),
    ],
    [
      {
        id: 'restart',
        title: 'passages embedded at a restart with nothing changed',
        limit: 0,
        sense: 'at most',
        unit: '',
        note: 'largest of all restarts',
      },
      exactly(one('restart_embedded', { backend }), (samples) => Math.max(...samples)),
    ],
    [
      {
        id: 'ping',
        title: 'ping while indexing, 99th percentile',
        limit: 20,
        sense: 'at most',
        unit: 'ms',
        note: 'over MCP stdio, while a server builds its first index',
      },
      single(one('ping', { backend, phase: 'indexing' }), percentile(0.99)),
    ],
    [
      {
        id: 'neighbours',
        title: `recall@10 of ${backend} against exact search among 20 000 passages`,
        limit: 0.99,
        sense: 'at least',
        unit: '',
        note: 'default settings, mean over the questions',
      },
      single(one('neighbour_recall', { backend, passages: 20_000, settings: undefined }), mean),
    ],
    [
      {
        id: 'recall',
        title: `recall@5 on the judgments${recallCeiling ? `, which allow ${recallCeiling.at5.toFixed(3)}` : ''}`,
        limit: 0.98,
        sense: 'at least',
        unit: '',
        note: `mean over the questions, ${defaultMode} search; five documents can't hold more than five relevant ones`,
      },
      single(one('recall_at_5', { backend }), mean),
    ],
    [
      {
        id: 'ndcg',
        title: 'nDCG@10 on the judgments',
        limit: 0.9,
        sense: 'at least',
        unit: '',
        note: `mean over the questions, ${defaultMode} search`,
      },
      single(one('ndcg_at_10', { backend }), mean),
    ],
  ];
  return goals.map(([goal, value]) => ({ ...goal, ...value, met: isMet(goal, value) }));
}

/**
 * What a report says of the targets: judged anew from what was measured, so that results of before are held to the
 * same rules.
 */
export function targetsOf({ measurements, corpus, targets }: Results): readonly Target[] {
  return measurements.length > 0 && targets.length > 0
    ? judgeTargets(measurements, corpus.recallCeiling)
    : targets;
}

/** How many targets came out how. One that is looked at in several sizes is met where it is met in all of them. */
export function countTargets(targets: readonly Target[]): Record<'met' | 'missed' | 'unclear', number> {
  const measured = targets.filter(({ value }) => value !== null);
  const nameOf = ({ id, title }: Target) => id ?? title;
  const outcomes = [...new Set(measured.map(nameOf))].map((name) => {
    const rows = measured.filter((target) => nameOf(target) === name);
    return rows.some(({ met }) => met === false)
      ? 'missed'
      : rows.every(({ met }) => met)
        ? 'met'
        : 'unclear';
  });
  const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
  return { met: count('met'), missed: count('missed'), unclear: count('unclear') };
}

/** One for each number of passages that both the plain loop and Kettle went through, the corpus itself first. */
function indexingGoals(measurements: readonly Measurement[], backend: string): [Goal, Value][] {
  const goal = {
    id: 'indexing',
    limit: 2.5,
    sense: 'at least',
    unit: '',
    note: 'times of the loop, which only embeds, divided by those of the whole build, processes in turn; both with the model loaded, Kettle starting its further processes within its time',
  } as const;
  const title = 'indexing, against the plain loop of batches of 32 through the pipeline';
  const loops = select(measurements, 'indexing_loop');
  if (loops.length === 0) return [[{ ...goal, title }, unmeasured]];
  return loops.map((loop) => {
    const { passages } = loop.labels;
    const at = { backend, passages };
    const [build] = [...select(measurements, 'build_total', at), ...select(measurements, 'whole_total', at)];
    return [{ ...goal, title: `${title}, ${passages} passages` }, ratioOf(build, loop)];
  });
}

/** Both sides of every ratio are measured in one process, or take turns. */
function ratioOf(a: Measurement | undefined, b: Measurement | undefined): Value {
  return a && b ? processRatio(a, b, statisticOf('median'), { inTurn: true }) : unmeasured;
}

/** A count that is the same on every machine: the value is all there is. */
function exactly(found: Measurement | undefined, statistic: Statistic): Value {
  if (!found) return unmeasured;
  const value = statistic(Float64Array.from(found.runs.flat()));
  return { value, interval: { low: value, high: value } };
}

function isMet({ limit, sense }: Goal, { value, interval }: Value): boolean | null {
  if (value === null || interval === null) return null;
  const [worst, best] = sense === 'at most' ? [interval.high, interval.low] : [-interval.low, -interval.high];
  const bound = sense === 'at most' ? limit : -limit;
  if (worst <= bound) return true;
  return best > bound ? false : null;
}
