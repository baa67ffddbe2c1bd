import { type Separation, separation } from '../metrics/unanswerable.js';
import { type Random, randomInteger, seededRandom } from '../random.js';
import type { Results } from '../results/results.js';
import { keyOf, select } from '../results/select.js';
import { intervalOf } from '../statistics/bootstrap.js';
import { differenceVerdict } from '../statistics/verdict.js';
import { type Change, qualityMargin, strict, worth } from './change.js';

const parts = [
  ['auroc', 'AUROC of the best hit’s distance'],
  ['rejected', 'questions without an answer that are turned away'],
] as const satisfies [keyof Separation, string][];

/** How well each way to search tells questions with an answer from those without, question by question. */
export function answerChanges(before: Results, after: Results): Change[] {
  return select(before.measurements, 'top_distance', { answerable: true }).flatMap((found) => {
    const { answerable: _, ...labels } = found.labels;
    const [a, b] = [before, after].map((results) => distancesOf(results, labels));
    if (!a || !b || a.with.length !== b.with.length || a.without.length !== b.without.length) return [];
    return parts.map(([part, title]) => {
      const values = { before: separate(a)[part], after: separate(b)[part] };
      const still = Math.abs(values.after - values.before) <= qualityMargin;
      const interval = still ? null : differenceOf(a, b, part);
      return {
        key: `${keyOf({ metric: 'top_distance', labels })} ${part}`,
        metric: 'top_distance',
        title,
        by: 'difference',
        ...values,
        interval,
        verdict: still ? 'same' : worth(differenceVerdict(interval, qualityMargin), 'higher'),
      };
    });
  });
}

interface Distances {
  readonly with: readonly number[];
  readonly without: readonly number[];
}

function distancesOf({ measurements }: Results, labels: object): Distances | undefined {
  const [answered, unanswered] = [true, false].map((answerable) =>
    select(measurements, 'top_distance', { ...labels, answerable })[0]?.runs.flat(),
  );
  return answered && unanswered ? { with: answered, without: unanswered } : undefined;
}

function separate(distances: Distances): Separation {
  return separation(distances.with, distances.without);
}

/** The same questions are drawn from both runs. */
function differenceOf(a: Distances, b: Distances, part: keyof Separation) {
  const random = seededRandom(1);
  return intervalOf(strict, () => {
    const [answered, unanswered] = [drawn(a.with.length, random), drawn(a.without.length, random)];
    const of = (side: Distances) =>
      separation(
        answered.map((index) => side.with[index]!),
        unanswered.map((index) => side.without[index]!),
      )[part];
    return of(b) - of(a);
  });
}

function drawn(count: number, random: Random): number[] {
  return Array.from({ length: count }, () => randomInteger(random, count));
}
