import { openLoop, watchEventLoop } from '@kettle/benchmarks';
import { expect, test } from 'vitest';

/** Keeps the event loop busy. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('questions that were due while everything hung count from when they were due', async () => {
  let asked = 0;
  const latencies = await openLoop(
    10,
    async () => {
      if (asked++ === 0) block(100);
    },
    () => asked < 8,
  );
  expect(latencies).toHaveLength(8);
  // Due at 10, 20 … ms, none could be asked before 100 ms.
  latencies.forEach((latency, index) => {
    expect(latency).toBeGreaterThanOrEqual(100 - 10 * index - 1);
  });
});

test('a failed question fails the measurement', async () => {
  let asked = 0;
  const failing = openLoop(
    1,
    async () => {
      if (++asked === 2) throw new Error('no answer');
    },
    () => asked < 4,
  );
  await expect(failing).rejects.toThrow('no answer');
});

test('a long block of the event loop is many late samples, not one', () => {
  const stop = watchEventLoop();
  block(210);
  const lags = stop();
  expect(lags.length).toBeGreaterThanOrEqual(10);
  expect(Math.max(...lags)).toBeGreaterThanOrEqual(185);
  expect(lags.filter((lag) => lag >= 90).length).toBeGreaterThanOrEqual(5);
});
