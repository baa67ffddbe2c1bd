import type { Labels, Measurement, Results } from '../results/results.js';
import { select } from '../results/select.js';
import { depthTitles } from '../runs/depths.js';
import {
  backendsOf,
  depthOrder,
  find,
  grownSizes,
  plain,
  summaryOf,
  withInterval,
  withRange,
} from './figures.js';
import { formatCount, formatValue } from './format.js';
import { blank, type Table } from './table.js';

export function growthTable(results: Results): Table | undefined {
  const rows: string[][] = [];
  for (const { name: backend } of backendsOf(results)) {
    /** Of the smallest size: what the backend takes whatever is in it. */
    let least: { readonly passages: number; readonly memory: number } | undefined;
    for (const passages of grownSizes(results)) {
      const labels: Labels = { backend, passages };
      const preset = { ...labels, settings: undefined };
      const storing = find(results, 'build_storing', preset);
      const query = find(results, 'query', { ...preset, depth: 'vector', state: 'warm', clients: undefined });
      if (!storing || !query) continue;
      const memory = find(results, 'memory', preset);
      const bytes = memory && summaryOf(memory).value;
      const further = bytes && least && (bytes - least.memory) / (passages - least.passages);
      if (bytes !== undefined) least ??= { passages, memory: bytes };
      const recall = find(results, 'neighbour_recall', preset);
      rows.push([
        backend,
        formatCount(passages),
        plain(storing),
        plain(query),
        formatValue(summaryOf(query).p99, 'ms'),
        plain(recall),
        recall ? formatCount(summaryOf(recall).samples) : blank,
        plain(memory),
        plain(find(results, 'disk', preset)),
        further === undefined ? blank : formatValue(further, 'bytes'),
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
      'questions',
      'memory',
      'disk',
      'a further passage',
    ],
    names: 2,
    rows,
    note: 'The vector store alone, filled with passages grown from the corpus. recall@10: share of the true ten nearest that it finds. Questions: how many were asked, for latency and recall alike; all of them at the size of the target, a drawn sample elsewhere. A further passage: the memory above that of the smallest size, for each passage more; one process each, so take it as a magnitude.',
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
      withInterval({ metric: 'neighbour_recall', labels, runs }),
      `${((100 * runs.flat().filter((value) => value < 0.5).length) / runs.flat().length).toFixed(1)} %`,
      plain(query),
      query ? formatValue(summaryOf(query).p95, 'ms') : blank,
      plain(find(results, 'build_storing', same)),
    ];
  });
  if (rows.length === 0) return undefined;
  return {
    title: 'Recall against latency',
    columns: ['backend', 'passages', 'settings', 'recall@10', 'below 0.5', 'query p50', 'p95', 'storing'],
    names: 3,
    rows,
    note: 'Below 0.5: the share of the questions that get fewer than five of the true ten, which the mean hides.',
  };
}

export function concurrencyTable(results: Results): Table | undefined {
  const all = select(results.measurements, 'throughput');
  const counts = [...new Set(all.map(({ labels }) => labels.clients ?? 0))].sort((a, b) => a - b);
  const rows: string[][] = [];
  for (const { name: backend } of backendsOf(results)) {
    for (const depth of depthOrder) {
      const cells = counts.map((clients) =>
        withRange(find(results, 'throughput', { backend, depth, clients })),
      );
      if (cells.some((cell) => cell !== blank)) rows.push([backend, depthTitles[depth]!, ...cells]);
    }
  }
  if (rows.length === 0) return undefined;
  return {
    title: 'Queries per second',
    columns: ['backend', 'depth', ...counts.map((count) => `${count} ${count === 1 ? 'client' : 'clients'}`)],
    names: 2,
    rows,
    note: 'Each client asks the next question when the last is answered. In brackets the slowest and the fastest window. Every question was asked before. Over stdio, clients are requests under way on one connection; over HTTP, sessions of one server.',
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
    const [real, grown] = (['real', 'grown'] as const).map((data) =>
      find(results, metric, { data, phase: undefined }),
    );
    if (!real || !grown) return [];
    const title = {
      intrinsic_dimension: 'local intrinsic dimension of passages',
      relative_contrast: 'relative contrast for the questions',
      weakest_recall: `recall@10 of ${real.labels.backend}, ${real.labels.settings}`,
      nearest_distance: 'distance from a passage to the nearest other',
    }[metric];
    return [[title, withInterval(real), withInterval(grown), overlapText(real, grown)]];
  });
  if (rows.length === 0) return undefined;
  const count =
    find(results, 'intrinsic_dimension', { data: 'real', phase: undefined })?.labels.passages ?? 0;
  return {
    title: 'Are grown passages as hard to search as real ones?',
    columns: ['what', 'real', 'grown', 'intervals'],
    names: 1,
    rows,
    note: `${formatCount(count)} real passages that nothing was grown from, beside as many grown from the remaining eighth. The growth is fitted to the second line and takes the dimension of the first from the real passages; the others are a check: where intervals lie apart, grown passages are harder or easier than real ones. A higher dimension, a lower contrast or a lower recall is harder; where grown ones are harder, real passages would have a higher recall than the growth tables say, and a lower one where they are easier.`,
  };
}

/** The stores that were searched, beside all real vectors. */
export function storeDifficultyTable(results: Results): Table | undefined {
  const real = find(results, 'intrinsic_dimension', { data: 'real', phase: 'all' });
  if (!real) return undefined;
  const count = real.labels.passages ?? 0;
  const rows = [
    { data: 'real', phase: 'all' },
    ...select(results.measurements, 'intrinsic_dimension', { data: 'grown' })
      .filter(({ labels }) => labels.phase !== undefined)
      .map(({ labels }) => labels),
  ].map(({ data, phase, passages = count }: Labels) => {
    const of = (metric: 'intrinsic_dimension' | 'nearest_distance' | 'relative_contrast') => {
      const found = find(results, metric, { data, phase, passages });
      return found ? withInterval(found) : blank;
    };
    const what = phase === 'all' ? 'all of' : `${formatCount(count)} of`;
    return [
      `${what} ${formatCount(passages)} ${data}`,
      of('intrinsic_dimension'),
      of('nearest_distance'),
      of('relative_contrast'),
    ];
  });
  return {
    title: 'The stores beside all real passages',
    columns: ['passages', 'local intrinsic dimension', 'nearest other', 'relative contrast'],
    names: 1,
    rows,
    note: `All of these numbers depend on how many passages there are, so that only the lines with ${formatCount(count)} can be held against the real ones: as many as there are, drawn from what was made for each store. Unlike in the table before, they were grown from the very passages that they stand beside. The others show what the queries met; no real corpus of that size stands beside them.`,
  };
}

/** Whether the intervals meet, and how the medians differ where they don't. */
function overlapText(real: Measurement, grown: Measurement): string {
  const [a, b] = [summaryOf(real), summaryOf(grown)];
  if (!a.interval || !b.interval) return blank;
  if (a.interval.low <= b.interval.high && b.interval.low <= a.interval.high) return 'overlap';
  const share = 100 * (b.value / a.value - 1);
  const verdict = `apart: grown ${Math.abs(share).toFixed(0)} % ${share > 0 ? 'higher' : 'lower'}`;
  if (real.metric === 'nearest_distance') return verdict;
  return `${verdict}, ${share > 0 === (real.metric === 'intrinsic_dimension') ? 'harder' : 'easier'}`;
}
