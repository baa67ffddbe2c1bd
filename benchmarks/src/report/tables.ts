import { separation } from '../metrics/unanswerable.js';
import type { Labels, Results } from '../results/results.js';
import { select } from '../results/select.js';
import { depthTitles } from '../runs/depths.js';
import {
  backendsOf,
  depthOrder,
  find,
  grownSizes,
  plain,
  searchLatency,
  summaryOf,
  withInterval,
} from './figures.js';
import { formatCount, formatQuality, formatValue } from './format.js';
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
      ...(largest ? [`memory, ${formatCount(largest)}`, `disk, ${formatCount(largest)}`] : []),
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
      'Query: the search tool over MCP stdio, warm; for searches without vectors the search alone.' +
      (largest
        ? ` Memory and disk: the vector store alone, filled with ${formatCount(largest)} passages.`
        : ''),
  };
}

export function targetsTable({ targets }: Results): Table {
  return {
    title: 'Targets',
    columns: ['what', 'target', 'value', '95 % interval', 'met'],
    names: 1,
    rows: targets.map(({ title, sense, limit, unit, value, interval, met }) => {
      const write = (number: number) => (unit === 'ms' ? formatValue(number, unit) : formatRatio(number));
      return [
        title,
        `${sense === 'at most' ? '≤' : '≥'} ${unit === 'ms' ? formatValue(limit, unit) : limit}`,
        value === null ? blank : write(value),
        interval === null ? blank : `${write(interval.low)} to ${write(interval.high)}`,
        met === null ? 'not measured' : met ? 'yes' : 'no',
      ];
    }),
  };
}

function formatRatio(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 1 ? 3 : 2);
}

export function qualityTable(results: Results): Table | undefined {
  const rows = results.contenders
    .filter(({ name }) => find(results, 'ndcg_at_10', { backend: name }))
    .map(({ name: backend }) => [
      backend,
      ...(['recall_at_1', 'recall_at_5', 'ndcg_at_10', 'mrr_at_10'] as const).map((metric) =>
        withInterval(find(results, metric, { backend })),
      ),
    ]);
  if (rows.length === 0) return undefined;
  return {
    title: 'Retrieval quality',
    columns: ['search', 'recall@1', 'recall@5', 'nDCG@10', 'MRR@10'],
    names: 1,
    rows,
    note: `Means over ${results.corpus.answerable.length} questions, with 95 % bootstrap intervals. Documents, not passages, are ranked: each stands where its first passage does.`,
  };
}

/** How questions without an answer come out. */
export function answersTable(results: Results): Table | undefined {
  const rows: string[][] = [];
  for (const { name: backend } of results.contenders) {
    const answerable = find(results, 'top_distance', { backend, answerable: true })?.runs.flat();
    const unanswerable = find(results, 'top_distance', { backend, answerable: false })?.runs.flat();
    if (!answerable || !unanswerable) continue;
    const { auroc, threshold, rejected } = separation(answerable, unanswerable);
    rows.push([
      backend,
      formatQuality(auroc),
      threshold.toFixed(3),
      `${(100 * rejected).toFixed(0)} %`,
      `${answerable.length} / ${unanswerable.length}`,
    ]);
  }
  if (rows.length === 0) return undefined;
  return {
    title: 'Questions without an answer',
    columns: ['search', 'AUROC', 'distance that keeps 95 %', 'turned away there', 'questions with / without'],
    names: 1,
    rows,
    note: 'AUROC: the chance that a question with an answer has a closer best hit than one without. The distance keeps 95 % of the questions with an answer; beside it the share of the others that it turns away.',
  };
}

export function latencyTable(results: Results): Table | undefined {
  const rows: string[][] = [];
  for (const { name: backend } of results.contenders) {
    for (const depth of depthOrder) {
      const labels = { backend, depth, clients: undefined, passages: results.corpus.passages };
      const warm = find(results, 'query', { ...labels, state: 'warm' });
      if (!warm) continue;
      const { p95, p99, samples } = summaryOf(warm);
      rows.push([
        backend,
        depthTitles[depth]!,
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
    note: 'Cold: the first call at that depth in a fresh process; over MCP that includes loading model and index.',
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

export function growthTable(results: Results): Table | undefined {
  const rows: string[][] = [];
  for (const { name: backend } of backendsOf(results)) {
    for (const passages of grownSizes(results)) {
      const labels: Labels = { backend, passages };
      const preset = { ...labels, settings: undefined };
      const storing = find(results, 'build_storing', preset);
      const query = find(results, 'query', { ...preset, depth: 'vector', state: 'warm', clients: undefined });
      if (!storing || !query) continue;
      const memory = find(results, 'memory', preset);
      rows.push([
        backend,
        formatCount(passages),
        plain(storing),
        plain(query),
        formatValue(summaryOf(query).p99, 'ms'),
        plain(find(results, 'neighbour_recall', preset)),
        plain(memory),
        plain(find(results, 'disk', preset)),
        memory ? formatValue(summaryOf(memory).value / passages, 'bytes') : blank,
      ]);
    }
  }
  if (rows.length === 0) return undefined;
  return {
    title: 'Growth',
    columns: [
      'backend',
      'passages',
      'storing',
      'query p50',
      'p99',
      'recall@10',
      'memory',
      'disk',
      'memory each',
    ],
    names: 2,
    rows,
    note: 'The vector store alone, filled with passages grown from the corpus. recall@10: share of the true ten nearest that it finds.',
  };
}

export function frontierTable(results: Results): Table | undefined {
  const rows = select(results.measurements, 'neighbour_recall').map(({ labels, runs }) => {
    const same = { ...labels, settings: labels.settings };
    const query = find(results, 'query', { ...same, depth: 'vector', state: 'warm', clients: undefined });
    return [
      labels.backend ?? blank,
      formatCount(labels.passages ?? 0),
      labels.settings ?? 'presets',
      formatQuality(runs.flat().reduce((sum, value) => sum + value, 0) / runs.flat().length),
      plain(query),
      query ? formatValue(summaryOf(query).p95, 'ms') : blank,
      plain(find(results, 'build_storing', same)),
    ];
  });
  if (rows.length === 0) return undefined;
  return {
    title: 'Recall against latency',
    columns: ['backend', 'passages', 'settings', 'recall@10', 'query p50', 'p95', 'storing'],
    names: 3,
    rows,
  };
}

export function concurrencyTable(results: Results): Table | undefined {
  const all = select(results.measurements, 'throughput');
  const counts = [...new Set(all.map(({ labels }) => labels.clients ?? 0))].sort((a, b) => a - b);
  const rows: string[][] = [];
  for (const { name: backend } of backendsOf(results)) {
    for (const depth of depthOrder) {
      const cells = counts.map((clients) => plain(find(results, 'throughput', { backend, depth, clients })));
      if (cells.some((cell) => cell !== blank)) rows.push([backend, depthTitles[depth]!, ...cells]);
    }
  }
  if (rows.length === 0) return undefined;
  return {
    title: 'Queries per second',
    columns: ['backend', 'depth', ...counts.map((count) => `${count} ${count === 1 ? 'client' : 'clients'}`)],
    names: 2,
    rows,
    note: 'Each client asks the next question when the last is answered. Over stdio, clients are requests under way on one connection; over HTTP, sessions of one server.',
  };
}

export function indexingTable(results: Results): Table | undefined {
  const rows = (
    [
      ['ping over MCP stdio', 'ping'],
      ['query through SearchService', 'query_indexing'],
    ] as const
  ).flatMap(([title, metric]) =>
    (['idle', 'indexing'] as const).flatMap((phase) => {
      const found = find(results, metric, { phase });
      if (!found) return [];
      const { p95, p99, samples } = summaryOf(found);
      return [
        [
          title,
          phase,
          withInterval(found),
          formatValue(p95, 'ms'),
          formatValue(p99, 'ms'),
          formatCount(samples),
        ],
      ];
    }),
  );
  if (rows.length === 0) return undefined;
  return {
    title: 'While indexing',
    columns: ['what', 'server is', 'p50', 'p95', 'p99', 'samples'],
    names: 2,
    rows,
  };
}

/** Whether grown passages are as hard to search as real ones. */
export function difficultyTable(results: Results): Table | undefined {
  const rows = (
    ['intrinsic_dimension', 'nearest_distance', 'relative_contrast', 'weakest_recall'] as const
  ).flatMap((metric) => {
    const [real, grown] = (['real', 'grown'] as const).map((data) => find(results, metric, { data }));
    if (!real || !grown) return [];
    const title = {
      intrinsic_dimension: 'local intrinsic dimension of passages',
      relative_contrast: 'relative contrast for the questions',
      weakest_recall: `recall@10 of ${real.labels.backend}, ${real.labels.settings}`,
      nearest_distance: 'distance from a passage to the nearest other',
    }[metric];
    return [[title, withInterval(real), withInterval(grown)]];
  });
  if (rows.length === 0) return undefined;
  const count = find(results, 'intrinsic_dimension', { data: 'real' })?.labels.passages ?? 0;
  return {
    title: 'Are grown passages as hard to search as real ones?',
    columns: ['what', 'real', 'grown'],
    names: 1,
    rows,
    note: `${formatCount(count)} real passages that nothing was grown from, beside as many grown from the remaining eighth. The noise of the growth is fitted to the first line; the others are a check.`,
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
