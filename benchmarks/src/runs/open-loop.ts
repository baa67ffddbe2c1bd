import { setTimeout as wait } from 'node:timers/promises';

/**
 * Asks at an even pace, whether or not earlier questions were answered, and gives the milliseconds from the moment at
 * which each was due to its answer. If each waited for the one before, something that hangs for a second would get one
 * bad sample instead of many ("coordinated omission"). The timer's own granularity, about a millisecond, is part of it.
 *
 * @param interval milliseconds from one question to the next
 * @param goOn asked before each question but the first
 */
export async function openLoop(
  interval: number,
  ask: () => Promise<unknown>,
  goOn: () => boolean,
): Promise<number[]> {
  const answers: Promise<number>[] = [];
  const started = performance.now();
  do {
    const due = started + answers.length * interval;
    const early = due - performance.now();
    if (early > 0) await wait(early);
    const answer = ask().then(() => performance.now() - due);
    answer.catch(() => {}); // told below
    answers.push(answer);
  } while (goOn());
  return Promise.all(answers);
}
