import type { Method, Results } from '../results/results.js';

/** Two runs that can't be held against each other. The message says what differs, and what to do. */
export class IncomparableError extends Error {
  override readonly name = 'IncomparableError';
}

/** @throws {IncomparableError} when the runs did not ask the same questions of the same corpus in the same way */
export function checkComparable(before: Results, after: Results): void {
  const facts = ({ method, corpus }: Results): Record<string, string | number> => ({
    plan: method.plan,
    seed: method.seed,
    corpus: `${corpus.name}, ${corpus.documents} documents of ${corpus.characters} characters in ${corpus.passages} passages`,
    model: corpus.model,
  });
  const [a, b] = [facts(before), facts(after)];
  const differences = Object.keys(a)
    .filter((key) => a[key] !== b[key])
    .map((key) => `the ${key} differs (${a[key]}; ${b[key]})`);
  differences.push(...countDifferences(before.method.counts, after.method.counts));
  if (questionsOf(before) !== questionsOf(after))
    differences.push(`the judged questions differ (${countOf(before)}; ${countOf(after)})`);
  if (differences.length === 0) return;
  throw new IncomparableError(
    `these runs can't be compared: ${differences.join('; ')}. Run both with the same options, corpus, questions and model; they were made by "${before.method.command}" and "${after.method.command}".`,
  );
}

/** Plans of one name that are not the same any more. */
function countDifferences(before: Method['counts'], after: Method['counts']): string[] {
  if (!before || !after) return [];
  const written = (value: unknown) => JSON.stringify(value) ?? 'none';
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => written(before[key]) !== written(after[key]))
    .map((key) => `the plan's ${key} differs (${written(before[key])}; ${written(after[key])})`);
}

function questionsOf({ corpus }: Results): string {
  return JSON.stringify([corpus.answerable, corpus.unanswerable]);
}

function countOf({ corpus }: Results): string {
  return `${corpus.answerable.length} with an answer and ${corpus.unanswerable.length} without`;
}
