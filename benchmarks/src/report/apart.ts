import type { Results } from '../results/results.js';
import { bootstrapRatio, type Runs } from '../statistics/bootstrap.js';
import { median } from '../statistics/quantile.js';
import { statisticOf } from '../statistics/summary.js';
import { ratioVerdict, relevantShare, type Verdict } from '../statistics/verdict.js';
import { backendsOf, searchLatency } from './figures.js';

/**
 * The backends from the quickest to the slowest search, and of each whether this run can tell it from the one
 * before. One sentence; none with fewer than two backends.
 */
export function apartSentences(results: Results): string[] {
  const measured = backendsOf(results)
    .flatMap((contender) => {
      const latency = searchLatency(results, contender);
      return latency ? [{ name: contender.name, runs: latency.runs }] : [];
    })
    .sort((a, b) => median(a.runs.flat()) - median(b.runs.flat()));
  const [quickest, ...slower] = measured;
  if (!quickest || slower.length === 0) return [];
  const steps = slower.map(({ name, runs }, index) => stepText(measured[index]!, { name, runs }));
  return [`From the quickest search to the slowest: ${[quickest.name, ...steps].join('; ')}.`];
}

interface Measured {
  readonly name: string;
  readonly runs: Runs;
}

function stepText(before: Measured, { name, runs }: Measured): string {
  if (Math.min(before.runs.length, runs.length) < 2)
    return `${name}, which can’t be told apart from ${before.name} by one process of each`;
  const { low, high } = bootstrapRatio(before.runs, runs, statisticOf('median'));
  const range = `${low.toFixed(2)} to ${high.toFixed(2)} times as long`;
  const texts: Record<Verdict, string> = {
    larger: `${name}, ${range}`,
    smaller: `${name}, ${range}`,
    same: `${name}, the same to ${100 * relevantShare} % (${range})`,
    unclear: `${name}, which can’t be told apart from ${before.name} by this run (${range})`,
  };
  return texts[ratioVerdict({ low, high })];
}
