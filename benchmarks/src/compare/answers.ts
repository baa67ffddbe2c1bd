import { type Separation, separation } from '../metrics/unanswerable.js';
import { type Random, randomInteger, seededRandom } from '../random.js';
import { type BestHits, bestHitMetrics, bestHits } from '../results/best-hits.js';
import type { Results } from '../results/results.js';
import { keyOf, select } from '../results/select.js';
import { intervalOf } from '../statistics/bootstrap.js';
import { differenceVerdict } from '../statistics/verdict.js';
import { type Change, qualityMargin, strict, worth } from './change.js';

const parts = [
  ['auroc', 'AUROC of the best hit'],
  ['rejected', 'questions without an answer that are turned away'],
] as const satisfies [keyof Separation, string][];

/** How well each way to search tells questions with an answer from those without, question by question. */
export function answerChanges(before: Results, after: Results): Change[] {
  return bestHitMetrics
    .flatMap((metric) => select(before.measurements, metric))
    .filter(({ labels }) => labels.answerable)
    .flatMap(({ labels: { answerable: _, ...labels } }) => {
      const [a, b] = [before, after].map(({ measurements }) => bestHits(measurements, labels));
      if (!a || !b || !areOfSameQuestions(a, b)) return [];
      return parts.map(([part, title]) => {
        const values = { before: separate(a)[part], after: separate(b)[part] };
        const still = Math.abs(values.after - values.before) <= qualityMargin;
        const interval = still ? null : differenceOf(a, b, part);
        return {
          key: `${keyOf({ metric: a.metric, labels })} ${part}`,
          metric: a.metric,
          title,
          by: 'difference',
          ...values,
          interval,
          verdict: still ? 'same' : worth(differenceVerdict(interval, qualityMargin), 'higher'),
        };
      });
    });
}

function areOfSameQuestions(a: BestHits, b: BestHits): boolean {
  return (
    a.metric === b.metric &&
    a.answerable.length === b.answerable.length &&
    a.unanswerable.length === b.unanswerable.length
  );
}

function separate({ answerable, unanswerable }: BestHits): Separation {
  return separation(answerable, unanswerable);
}

/** The same questions are drawn from both runs. */
function differenceOf(a: BestHits, b: BestHits, part: keyof Separation) {
  const random = seededRandom(1);
  return intervalOf(strict, () => {
    const [answered, unanswered] = [drawn(a.answerable.length, random), drawn(a.unanswerable.length, random)];
    const of = (side: BestHits) =>
      separation(
        answered.map((index) => side.answerable[index]!),
        unanswered.map((index) => side.unanswerable[index]!),
      )[part];
    return of(b) - of(a);
  });
}

function drawn(count: number, random: Random): number[] {
  return Array.from({ length: count }, () => randomInteger(random, count));
}
