import { separation } from '../metrics/unanswerable.js';
import { randomInteger, seededRandom } from '../random.js';
import { bestHits } from '../results/best-hits.js';
import type { Results, Target } from '../results/results.js';
import { depthTitles } from '../runs/depths.js';
import { intervalOf } from '../statistics/bootstrap.js';
import { processRatio } from '../statistics/processes.js';
import { statisticOf } from '../statistics/summary.js';
import { floorMode, searchModeNames, targetsOf } from '../targets.js';
import { depthOrder, find, grownSizes, plain, searchLatency, summaryOf, withInterval } from './figures.js';
import { formatCount, formatQuality, formatValue, ratioText } from './format.js';
import { blank, type Table } from './table.js';

/** One row for each way to search: what you get and what it costs. */
export function overviewTable(results: Results): Table {
  const largest = grownSizes(results).at(-1);
  const atLargest = { passages: largest, settings: undefined };
  return {
    title: 'At a glance',
    columns: [
      'search',
      'recall@5',
      'nDCG@10',
      'query p50',
      'query p95',
      'build',
      ...(largest ? ['memory', 'disk'] : []),
    ],
    names: 1,
    rows: results.contenders.map((contender) => {
      const backend = contender.name;
      const latency = searchLatency(results, contender);
      return [
        backend,
        plain(find(results, 'recall_at_5', { backend })),
        plain(find(results, 'ndcg_at_10', { backend })),
        plain(latency),
        latency ? formatValue(summaryOf(latency).p95, 'ms') : blank,
        plain(find(results, 'build_total', { backend })),
        ...(largest
          ? [
              plain(find(results, 'memory', { backend, ...atLargest })),
              plain(find(results, 'disk', { backend, ...atLargest })),
            ]
          : []),
      ];
    }),
    note:
      `Backends answer as users get them, by ${results.method.searchMode} search; vector, keyword and hybrid are the search modes through the default backend. Query: the search tool over MCP stdio, warm; for ${modesOverMcp(results) ? '' : 'modes and '}baselines the search alone.` +
      (largest
        ? ` Memory and disk: the vector store alone, filled with ${formatCount(largest)} passages.`
        : ''),
  };
}

/** Results of before had the modes through the SearchService alone. */
function modesOverMcp(results: Results): boolean {
  return searchModeNames.some((backend) => find(results, 'query', { backend, depth: 'mcp-stdio' }));
}

export function targetsTable(results: Results): Table {
  return {
    title: 'Targets',
    columns: ['what', 'target', 'value', '95 % interval', 'met'],
    names: 1,
    rows: targetsOf(results).map(({ title, sense, limit, unit, value, interval, met }) => {
      const write = (number: number) => (unit === 'ms' ? formatValue(number, unit) : formatRatio(number));
      return [
        title,
        `${sense === 'at most' ? '≤' : '≥'} ${unit === 'ms' ? formatValue(limit, unit) : limit}`,
        value === null ? blank : write(value),
        interval === null || interval.low === interval.high
          ? blank
          : `${write(interval.low)} to ${write(interval.high)}`,
        verdictText({ value, interval, met }),
      ];
    }),
  };
}

function verdictText({ value, interval, met }: Pick<Target, 'value' | 'interval' | 'met'>): string {
  if (met !== null) return met ? 'yes' : 'no';
  if (value === null) return 'not measured';
  return interval === null ? 'one process: can’t tell' : 'too close to tell';
}

function formatRatio(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 1 ? 3 : 2);
}

export function qualityTable(results: Results): Table | undefined {
  const rows = results.contenders
    .filter(({ name }) => find(results, 'ndcg_at_10', { backend: name }))
    .map(({ name: backend }) => [
      backend,
      ...(['recall_at_1', 'recall_at_5', 'hit_at_5', 'ndcg_at_10', 'mrr_at_10'] as const).map((metric) =>
        withInterval(find(results, metric, { backend })),
      ),
    ]);
  if (rows.length === 0) return undefined;
  return {
    title: 'Retrieval quality',
    columns: ['search', 'recall@1', 'recall@5', 'hit@5', 'nDCG@10', 'MRR@10'],
    names: 1,
    rows,
    note: `Means over ${results.corpus.answerable.length} questions, with 95 % bootstrap intervals. Documents, not passages, are ranked: each stands where its first passage does. Backends are searched in the default mode, ${results.method.searchMode}.${ceilingText(results)}`,
  };
}

/** Recall divides by all relevant documents, so that questions with many of them keep it below 1. */
function ceilingText({ corpus: { recallCeiling } }: Results): string {
  if (!recallCeiling) return '';
  return ` The judgments allow recall@1 up to ${formatQuality(recallCeiling.at1)} and recall@5 up to ${formatQuality(recallCeiling.at5)}: some questions have more relevant documents than that.`;
}

/** How questions without an answer come out. */
export function answersTable(results: Results): Table | undefined {
  const rows: string[][] = [];
  for (const { name: backend } of results.contenders) {
    const best = bestHits(results.measurements, { backend });
    if (!best) continue;
    const { answerable, unanswerable } = best;
    const { auroc, threshold, rejected } = separation(answerable, unanswerable);
    const spread = separationSpread(answerable, unanswerable);
    const percent = (share: number) => (100 * share).toFixed(0);
    rows.push([
      backend,
      `${formatQuality(auroc)} (${formatQuality(spread.auroc.low)} to ${formatQuality(spread.auroc.high)})`,
      best.metric === 'top_score' ? `score ${(-threshold).toFixed(2)}` : threshold.toFixed(3),
      `${percent(rejected)} % (${percent(spread.rejected.low)} to ${percent(spread.rejected.high)})`,
      `${answerable.length} / ${unanswerable.length}`,
    ]);
  }
  if (rows.length === 0) return undefined;
  return {
    title: 'Questions without an answer',
    columns: ['search', 'AUROC', 'distance that keeps 95 %', 'turned away there', 'questions with / without'],
    names: 1,
    rows,
    note: 'The best hit is the first one; only in vector mode is it always the closest. AUROC: the chance that a question with an answer has a closer best hit than one without. The distance keeps 95 % of the questions with an answer; beside it the share of the others that it turns away. Baselines know no distance: theirs is the score of the best document, the higher the closer. In brackets 95 % bootstrap intervals over the questions of both kinds.',
  };
}

/** Percentile bootstrap over the questions, those with an answer and those without drawn by themselves. */
function separationSpread(answerable: readonly number[], unanswerable: readonly number[]) {
  const of = (part: 'auroc' | 'rejected') => {
    const random = seededRandom(1);
    const redraw = (list: readonly number[]) => list.map(() => list[randomInteger(random, list.length)]!);
    return intervalOf({}, () => separation(redraw(answerable), redraw(unanswerable))[part]);
  };
  return { auroc: of('auroc'), rejected: of('rejected') };
}

export function latencyTable(results: Results): Table | undefined {
  const rows: string[][] = [];
  for (const { name: backend, kind } of results.contenders) {
    for (const depth of depthOrder) {
      const labels = { backend, depth, clients: undefined, passages: results.corpus.passages };
      const warm = find(results, 'query', { ...labels, state: 'warm' });
      if (!warm) continue;
      const { p95, p99, samples } = summaryOf(warm);
      rows.push([
        backend,
        kind === 'baseline' ? 'search alone' : depthTitles[depth]!,
        withInterval(warm),
        formatValue(p95, 'ms'),
        formatValue(p99, 'ms'),
        plain(find(results, 'query', { ...labels, state: 'cold' })),
        formatCount(samples),
      ]);
    }
  }
  if (rows.length === 0) return undefined;
  return {
    title: 'Query latency',
    columns: ['search', 'depth', 'p50', 'p95', 'p99', 'cold', 'samples'],
    names: 2,
    rows,
    note: `Vector alone and embed + vector know no mode; from SearchService on, backends search in the default mode, ${results.method.searchMode}. Cold: the first call at that depth in a fresh process; over MCP, from the start of a server that was asked nothing before to its first answer, so it includes loading model and index. Warm, from SearchService on: asked for at least the second time, so that what search remembers of words and passages is there; the question is embedded anew each time. The two bare depths remember nothing and are warmed with a few questions; baselines are asked each question once.`,
  };
}

/** What Kettle adds to the least work that a search by meaning is. */
export function floorTable(results: Results): Table | undefined {
  const rows = searchModeNames.flatMap((mode) =>
    (['service', 'mcp-stdio'] as const).flatMap((depth) => {
      const labels = { backend: mode, state: 'warm', clients: undefined } as const;
      const floor = find(results, 'query', { ...labels, depth: 'bare' });
      const found = find(results, 'query', { ...labels, depth });
      if (!floor || !found) return [];
      const ratio = processRatio(floor, found, statisticOf('median'), { inTurn: true });
      return [[mode, depthTitles[depth]!, withInterval(found), withInterval(floor), ratioText(ratio)]];
    }),
  );
  if (rows.length === 0) return undefined;
  const ping = find(results, 'ping', { backend: floorMode, phase: 'alone' });
  const floor = find(results, 'query', { backend: floorMode, depth: 'bare', state: 'warm' });
  if (ping && floor) {
    const share = summaryOf(ping).value / summaryOf(floor).value;
    rows.push(['none', 'ping over MCP stdio', withInterval(ping), withInterval(floor), share.toFixed(2)]);
  }
  return {
    title: 'Against the floor',
    columns: ['mode', 'depth', 'p50', 'floor', 'ratio'],
    names: 2,
    rows,
    note: `The floor embeds the question and queries the store, with nothing around it, in turn with the search in one process. It is the same work only in ${floorMode} mode; hybrid search also ranks by words, so its ratio is for information. Keyword search has no vector in it and no row here. Ping, one after the other over the same connection, is what two processes pay to talk at all: what it is of the floor, no search over MCP can do without.`,
  };
}

export function buildTable(results: Results): Table {
  return {
    title: 'Building the index',
    columns: ['search', 'whole', 'reading', 'embedding', 'storing', 'restart', 'disk', 'memory'],
    names: 1,
    rows: results.contenders
      .filter(({ name }) => find(results, 'build_total', { backend: name }))
      .map(({ name: backend }) => [
        backend,
        withInterval(find(results, 'build_total', { backend })),
        ...(['build_reading', 'build_embedding', 'build_storing', 'restart', 'disk', 'memory'] as const).map(
          (metric) => plain(find(results, metric, { backend, passages: results.corpus.passages })),
        ),
      ]),
    note: 'The model is loaded before the clock starts. Reading includes splitting into passages and the catalog; where parts overlap, embedding counts. Restart: with nothing changed, to a level index. Memory: resident in the process that answers, the model included, and in what it started.',
  };
}

export function absencesTable({ absences }: Results): Table | undefined {
  if (absences.length === 0) return undefined;
  return {
    title: 'Not measured',
    columns: ['what', 'reason'],
    names: 2,
    rows: absences.map(({ labels, reason }) => [Object.values(labels).join(', '), reason]),
  };
}
