import type { Results } from '../results/results.js';
import { bootstrapRatio, type Interval } from '../statistics/bootstrap.js';
import { median } from '../statistics/quantile.js';
import { ratioVerdict, relevantShare, type Verdict } from '../statistics/verdict.js';
import { backendsOf, searchLatency } from './figures.js';

/** For each pair of backends, whether their search latency can be told apart in this run. */
export function apartSentences(results: Results): string[] {
  const measured = backendsOf(results).flatMap((contender) => {
    const latency = searchLatency(results, contender);
    return latency ? [{ name: contender.name, runs: latency.runs }] : [];
  });
  return measured.flatMap((a, index) =>
    measured.slice(index + 1).map((b) => sentence(a.name, b.name, bootstrapRatio(a.runs, b.runs, median))),
  );
}

function sentence(a: string, b: string, { low, high }: Interval): string {
  const range = `${low.toFixed(2)} to ${high.toFixed(2)} times`;
  const sentences: Record<Verdict, string> = {
    same: `A search with ${b} takes as long as one with ${a}, to ${100 * relevantShare} % (${range}).`,
    smaller: `A search with ${b} is quicker than one with ${a}: it takes ${range} as long.`,
    larger: `A search with ${b} is slower than one with ${a}: it takes ${range} as long.`,
    unclear: `${a} and ${b} can’t be told apart by this run: a search with ${b} takes ${range} as long.`,
  };
  return sentences[ratioVerdict({ low, high })];
}
