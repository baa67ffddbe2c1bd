import { type MetricName, metrics } from '../results/metric.js';
import type { Measurement, Results } from '../results/results.js';
import { select } from '../results/select.js';
import { exponent } from '../statistics/exponent.js';
import { processRatio } from '../statistics/processes.js';
import { quantile } from '../statistics/quantile.js';
import { statisticOf } from '../statistics/summary.js';
import { defaultBackend, searchModeNames } from '../targets.js';
import { find, summaryOf, withInterval } from './figures.js';
import { formatCount, formatValue, ratioText } from './format.js';
import { blank, type Table } from './table.js';

/** A column: what it shows of one size, and the number whose growth is told below it. */
interface Column {
  readonly title: string;
  readonly value: (at: (metric: MetricName, mode?: string) => Measurement | undefined) => number | undefined;
  readonly write: (value: number) => string;
  /** Whether the value grows with the corpus; counts and shares of a passage do not. */
  readonly grows?: boolean;
}

/** Sizes of the generated folders, in passages, ascending. */
export function wholeSizes({ measurements }: Results): number[] {
  const sizes = select(measurements, 'whole_total').map(({ labels }) => labels.passages ?? 0);
  return [...new Set(sizes)].sort((a, b) => a - b);
}

const ms = (value: number) => formatValue(value, 'ms');
const bytes = (value: number) => formatValue(value, 'bytes');

function medianOf(metric: MetricName, title: string): Column {
  return {
    title,
    value: (at) => numberOf(at(metric)),
    write: (value) => formatValue(value, metrics[metric].unit),
    grows: true,
  };
}

function numberOf(measurement: Measurement | undefined): number | undefined {
  return measurement && summaryOf(measurement).value;
}

function samplesOf(measurement: Measurement | undefined): readonly number[] | undefined {
  return measurement?.runs.flat();
}

/** What the first index costs. */
export function wholeBuildTable(results: Results): Table | undefined {
  return wholeTable(results, {
    title: 'The first index of a folder',
    columns: [
      medianOf('whole_total', 'whole'),
      medianOf('whole_reading', 'reading'),
      medianOf('whole_embedding', 'embedding'),
      medianOf('whole_storing', 'storing'),
      medianOf('whole_peak_memory', 'most memory'),
      {
        title: 'event loop late, p99',
        value: (at) => ifAny(samplesOf(at('whole_lag')), (lags) => quantile(lags, 0.99)),
        write: ms,
      },
      {
        title: 'at most',
        value: (at) => ifAny(samplesOf(at('whole_lag')), (lags) => lags.reduce((a, b) => Math.max(a, b))),
        write: ms,
      },
    ],
    note: 'The model is loaded before the clock starts; the processes that embed start within it. Most memory: resident, of the process and all that it started, looked at twice a second. Event loop: how late a timer of the indexing process is, every 20 ms.',
  });
}

/** What is kept of a passage. */
export function wholeSpaceTable(results: Results): Table | undefined {
  const parts = ['whole_disk_catalog', 'whole_disk_words', 'whole_disk_store'] as const;
  const perPassage = (metric: MetricName) => (at: Parameters<Column['value']>[0]) => {
    const found = at(metric);
    return found && summaryOf(found).value / (found.labels.passages ?? 1);
  };
  return wholeTable(results, {
    title: 'What a passage costs on disk and in memory',
    columns: [
      { title: 'catalog, each', value: perPassage('whole_disk_catalog'), write: bytes },
      { title: 'keyword index, each', value: perPassage('whole_disk_words'), write: bytes },
      { title: 'vector store, each', value: perPassage('whole_disk_store'), write: bytes },
      {
        title: 'disk, whole',
        value: (at) => {
          const sizes = parts.map((part) => numberOf(at(part)));
          return sizes.every((size) => size !== undefined) ? sizes.reduce((a, b) => a! + b!, 0) : undefined;
        },
        write: bytes,
        grows: true,
      },
      medianOf('whole_memory', 'memory, whole'),
      { title: 'memory, each', value: perPassage('whole_memory'), write: bytes },
    ],
    note: 'The catalog holds texts, offsets and embeddings; free pages and the write-ahead log count with it. Memory: what an open index in the default mode adds, after some questions, to a process that has embedded them before.',
  });
}

/** What it is like to live with the index. */
export function wholeUseTable(results: Results): Table | undefined {
  return wholeTable(results, {
    title: 'Using the index',
    columns: [
      medianOf('whole_restart', 'restart'),
      {
        title: 'embedded at it',
        value: (at) => numberOf(at('whole_restart_embedded')),
        write: formatCount,
      },
      medianOf('whole_edit', 'edit to found'),
      ...searchModeNames.flatMap((mode): Column[] => [
        {
          title: `${mode} p50`,
          value: (at) => numberOf(at('whole_query', mode)),
          write: ms,
          grows: true,
        },
        {
          title: 'p95',
          value: (at) => ifAny(samplesOf(at('whole_query', mode)), (times) => quantile(times, 0.95)),
          write: ms,
          grows: true,
        },
      ]),
    ],
    note: 'Restart: a fresh process with the model loaded, nothing changed, to a level index. Edit to found: from writing an edited file to the first search that finds what is new in it, the watcher’s wait included. Queries through the SearchService.',
  });
}

function wholeTable(
  results: Results,
  { title, columns, note }: { title: string; columns: readonly Column[]; note: string },
): Table | undefined {
  const sizes = wholeSizes(results);
  if (sizes.length === 0) return undefined;
  const valuesAt = (passages: number) =>
    columns.map(({ value }) => value((metric, mode) => find(results, metric, { passages, mode })));
  const values = sizes.map(valuesAt);
  const rows = values.map((row, index) => [
    formatCount(sizes[index]!),
    ...row.map((value, column) => (value === undefined ? blank : columns[column]!.write(value))),
  ]);
  // Two sizes always lie on a line.
  if (sizes.length > 2)
    rows.push([
      'grows as n to the',
      ...columns.map(({ grows }, column) => {
        const found = grows
          ? exponent(
              sizes,
              values.map((row) => row[column]),
            )
          : undefined;
        return found === undefined ? blank : found.toFixed(2);
      }),
    ]);
  return { title, columns: ['passages', ...columns.map((column) => column.title)], names: 1, rows, note };
}

function ifAny<T>(value: T | undefined, then: (value: T) => number): number | undefined {
  return value === undefined ? undefined : then(value);
}

/** Indexing held against the loop that anybody would write first. */
export function loopTable(results: Results): Table | undefined {
  const rows = select(results.measurements, 'indexing_loop').flatMap((loop) => {
    const { passages = 0 } = loop.labels;
    const build = (['build_total', 'whole_total'] as const)
      .flatMap((metric) => select(results.measurements, metric, { passages, backend: defaultBackend }))
      .at(0);
    if (!build) return [];
    const each = (measurement: Measurement) =>
      formatValue((1000 * passages) / summaryOf(measurement).value, '1/s');
    return [
      [
        formatCount(passages),
        withInterval(loop),
        each(loop),
        withInterval(build),
        each(build),
        ratioText(processRatio(build, loop, statisticOf('median'), { inTurn: true })),
        `${loop.runs.length} and ${build.runs.length}`,
      ],
    ];
  });
  if (rows.length === 0) return undefined;
  return {
    title: 'Kettle and the plain loop',
    columns: ['passages', 'loop', 'loop, rate', 'Kettle', 'Kettle, rate', 'ratio', 'processes'],
    names: 1,
    rows,
    note: 'The loop embeds batches of 32 through the pipeline of transformers.js and does nothing else; Kettle reads, splits, embeds, stores. Both have the model loaded; the processes that Kettle starts to embed load theirs while the clock runs, which weighs on small corpora. They take turns, each in a fresh process.',
  };
}
