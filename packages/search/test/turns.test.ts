import { expect, test } from 'vitest';
import { turns } from '../src/turns.js';

/** Keeps the event loop until a turn is due. */
function work(): void {
  while (!turns.isDue);
}

test('work that is ready at once gets a turn of the event loop each', async () => {
  let loops = 0;
  let counting = true;
  const count = () => {
    loops += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  const piece = async () => {
    await turns.take();
    seen.push(loops);
    work();
  };
  await Promise.all(Array.from({ length: 5 }, piece));
  counting = false;
  expect(new Set(seen).size).toBe(5);
});

test('what is urgent comes before what waits already', async () => {
  const order: string[] = [];
  const take = async (name: string, urgent: boolean) => {
    await turns.take({ urgent });
    order.push(name);
  };
  await Promise.all([take('first', false), take('second', false), take('urgent', true)]);
  expect(order).toEqual(['urgent', 'first', 'second']);
});
