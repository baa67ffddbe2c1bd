import { type MetricName, metrics } from '../results/metric.js';
import type { Measurement, Results } from '../results/results.js';
import { select } from '../results/select.js';
import type { Interval } from '../statistics/bootstrap.js';
import { processRatio } from '../statistics/processes.js';
import { statisticOf } from '../statistics/summary.js';
import { ratioVerdict, relevantShare, type Verdict } from '../statistics/verdict.js';
import { backendsOf, searchLatency, summaryOf } from './figures.js';

/** What backends are held against each other by, and the words for it. */
interface Question {
  /** The whole of it, to begin a sentence. */
  readonly title: string;
  /** Of the one with the smaller value. */
  readonly less: string;
  readonly find: (results: Results, backend: string) => Measurement | undefined;
}

const questions = {
  search: {
    title: 'Search over MCP stdio',
    less: 'is quicker than',
    find: (results, backend) => searchLatency(results, { name: backend, summary: '', kind: 'backend' }),
  },
  // Embedding is the same work for all, and most of a build: only its noise would be compared.
  storing: {
    title: 'Storing the vectors of the corpus',
    less: 'is quicker than',
    find: (results, backend) => ofCorpus(results, 'build_storing', backend),
  },
  memory: {
    title: 'Memory of the process that answers',
    less: 'takes less than',
    find: (results, backend) => ofCorpus(results, 'memory', backend),
  },
  throughput: {
    title: 'Queries per second with the most clients, over MCP stdio',
    less: 'answers fewer than',
    find: (results, backend) => {
      const all = select(results.measurements, 'throughput', { backend, depth: 'mcp-stdio' });
      return all.sort((a, b) => (b.labels.clients ?? 0) - (a.labels.clients ?? 0))[0];
    },
  },
} as const satisfies Record<string, Question>;

/** What {@link apartSentences} can speak about. */
export type ApartQuestion = keyof typeof questions;

function ofCorpus(
  { measurements, corpus }: Results,
  metric: MetricName,
  backend: string,
): Measurement | undefined {
  return select(measurements, metric, { backend, passages: corpus.passages, settings: undefined })[0];
}

/** Two backends, the one with the smaller value first. */
export interface Pair {
  readonly less: string;
  readonly more: string;
  /** Of the ratio more to less; null with one process on either side. */
  readonly interval: Interval | null;
  readonly verdict: Verdict;
}

/**
 * Which backends this run can tell apart, by every pair of them: a backend that can't be told from its neighbour may
 * still be told from the next one, and the other way round. Sentences; none with fewer than two backends.
 */
export function apartSentences(results: Results, question: ApartQuestion = 'search'): string[] {
  const { title, less }: Question = questions[question];
  const { names, pairs } = pairsOf(results, question);
  if (pairs.length === 0) return [];
  const statements = [
    ...names.flatMap((name) => winsOf(name, less, pairs)),
    ...listOf(`the same to ${100 * relevantShare} %`, pairs, ({ verdict }) => verdict === 'same'),
    ...listOf(
      'can’t be told apart by this run',
      pairs,
      (pair) => pair.interval !== null && pair.verdict === 'unclear',
    ),
    ...aloneText(pairs),
  ];
  return [`${title}: ${statements.join('; ')}.`];
}

/** Every pair of backends that were measured, and their names by the value, the smallest first. */
export function pairsOf(
  results: Results,
  question: ApartQuestion,
): { readonly names: readonly string[]; readonly pairs: readonly Pair[] } {
  const { find }: Question = questions[question];
  const measured = backendsOf(results)
    .flatMap(({ name }) => {
      const found = find(results, name);
      return found ? [{ name, found }] : [];
    })
    .sort((a, b) => summaryOf(a.found).value - summaryOf(b.found).value);
  return {
    names: measured.map(({ name }) => name),
    pairs: measured.flatMap((a, index) => measured.slice(index + 1).map((b) => pairOf(a, b))),
  };
}

interface Measured {
  readonly name: string;
  readonly found: Measurement;
}

function pairOf(a: Measured, b: Measured): Pair {
  const statistic = statisticOf(metrics[a.found.metric].summary);
  const { interval } = processRatio(a.found, b.found, statistic);
  const verdict = ratioVerdict(interval);
  // The middle of the processes may say otherwise than the median of all samples did.
  if (verdict !== 'smaller') return { less: a.name, more: b.name, interval, verdict };
  return {
    less: b.name,
    more: a.name,
    interval: { low: 1 / interval!.high, high: 1 / interval!.low },
    verdict: 'larger',
  };
}

/** `usearch is quicker than exact (×1.20 to 1.61) and chroma (×2.90 to 3.80)`. */
function winsOf(name: string, less: string, pairs: readonly Pair[]): string[] {
  const over = pairs.filter((pair) => pair.less === name && pair.verdict === 'larger');
  if (over.length === 0) return [];
  return [`${name} ${less} ${enumerated(over.map(({ more, interval }) => `${more} (${times(interval)})`))}`];
}

function listOf(what: string, pairs: readonly Pair[], wanted: (pair: Pair) => boolean): string[] {
  const some = pairs.filter(wanted);
  if (some.length === 0) return [];
  return [
    `${what}: ${some.map((pair) => `${pair.less} and ${pair.more} (${times(pair.interval)})`).join(', ')}`,
  ];
}

/** Without a second process there is nothing to say, whatever the samples. */
function aloneText(pairs: readonly Pair[]): string[] {
  const alone = pairs.filter(({ interval }) => interval === null);
  if (alone.length === 0) return [];
  const text = 'one process tells nothing about how processes differ';
  if (alone.length === pairs.length) return [`measured in one process each, and ${text}`];
  return [`${text}: ${alone.map((pair) => `${pair.less} and ${pair.more}`).join(', ')}`];
}

function times(interval: Interval | null): string {
  return interval ? `×${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}` : '';
}

export function enumerated(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
