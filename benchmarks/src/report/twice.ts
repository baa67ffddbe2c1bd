import type { Measurement, Results } from '../results/results.js';
import { depthTitles } from '../runs/depths.js';
import type { Interval } from '../statistics/bootstrap.js';
import { processRatio } from '../statistics/processes.js';
import { statisticOf } from '../statistics/summary.js';
import { defaultBackend, searchModeNames } from '../targets.js';
import { find } from './figures.js';

/** One configuration that the run measured under two names. */
export interface Twice {
  readonly names: readonly [string, string];
  readonly depth: string;
  /** Of the ratio, second to first; 1 is the truth. Null with one process on either side. */
  readonly interval: Interval | null;
}

/**
 * What the run measured twice without knowing: an A/A check. Whatever differs here is noise, and an interval that
 * doesn't hold 1 is wrong; one in twenty may.
 *
 * Embedding and querying the default backend is the same work in its own row and in those of the modes; and its own row
 * is the default mode. Rows that are copies of each other were not measured twice.
 *
 * A depth feels what it takes turns with, which differs between modes: a miss may be that.
 */
export function measuredTwice(results: Results): Twice[] {
  const { searchMode } = results.method;
  const others = searchModeNames.filter((mode) => mode !== 'keyword');
  const pairs: [string, string, string][] = [
    ...others.map((mode): [string, string, string] => ['bare', defaultBackend, mode]),
    ['bare', others[0]!, others[1]!],
    ['service', defaultBackend, searchMode],
    ['mcp-stdio', defaultBackend, searchMode],
  ];
  const at = (depth: string, backend: string) =>
    find(results, 'query', { backend, depth, state: 'warm', clients: undefined });
  const own = at('bare', defaultBackend);
  const ofMode = at('bare', searchMode);
  const copied = own && ofMode && isCopy(own, ofMode);
  return pairs.flatMap(([depth, first, second]): Twice[] => {
    const [a, b] = [at(depth, first), at(depth, second)];
    if (!a || !b || isCopy(a, b)) return [];
    // The same pair again, under the other name.
    if (copied && (first === searchMode || second === searchMode)) return [];
    return [{ names: [first, second], depth, interval: processRatio(a, b, statisticOf('median')).interval }];
  });
}

/** `The same configuration measured twice: …, 0.93 to 1.12 (contains 1).` None where nothing was. */
export function twiceSentences(results: Results): string[] {
  const parts = measuredTwice(results).map(({ names, depth, interval }) => {
    const what = `${names.join(' and ')}, ${depthTitles[depth]}`;
    if (!interval) return `${what}, one process of one of them, so nothing can be said`;
    const holds = interval.low <= 1 && 1 <= interval.high;
    return `${what}, ${interval.low.toFixed(2)} to ${interval.high.toFixed(2)} (${holds ? 'contains 1' : 'does not contain 1'})`;
  });
  return parts.length === 0 ? [] : [`The same configuration measured twice: ${parts.join('; ')}.`];
}

function isCopy(a: Measurement, b: Measurement): boolean {
  return JSON.stringify(a.runs) === JSON.stringify(b.runs);
}
