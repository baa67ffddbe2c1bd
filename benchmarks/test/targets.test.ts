import { countTargets, judgeTargets, type Measurement } from '@kettle/benchmarks';
import { describe, expect, test } from 'vitest';

function target(title: string, measurements: Measurement[]) {
  return judgeTargets(measurements, null).find((one) => one.title.startsWith(title))!;
}

function indexing(passages: number, loops: number[], builds: number[]): Measurement[] {
  const runs = (times: number[]) => times.map((time) => [time]);
  return [
    { metric: 'indexing_loop', labels: { passages }, runs: runs(loops) },
    { metric: 'build_total', labels: { backend: 'hnsw', passages }, runs: runs(builds) },
  ];
}

const pings = (late: number): Measurement => ({
  metric: 'ping',
  labels: { backend: 'hnsw', phase: 'indexing' },
  runs: [Array.from({ length: 1000 }, (_, index) => (index % 300 < 4 ? late : 1))],
});

describe('a target', () => {
  test.each([
    ['met', [30, 31, 30], true],
    ['missed', [20, 21, 20], false],
    ['too close to tell', [24, 27, 26], null],
  ])('is %s by its whole interval', (_, loops, met) => {
    const judged = target('indexing', indexing(420, loops, [10, 10, 10]));
    expect(judged.met).toBe(met);
    expect(judged.value).toBeGreaterThan(judged.interval!.low);
    expect(judged.value).toBeLessThan(judged.interval!.high);
  });

  test('is not decided by one process on a side, however clear its value', () => {
    expect(target('indexing', indexing(420, [90], [10]))).toMatchObject({
      value: expect.closeTo(9),
      interval: null,
      met: null,
    });
    expect(target('indexing', indexing(420, [90, 91], [10]))).toMatchObject({ interval: null, met: null });
  });

  test('of a count is decided by the count', () => {
    const restarts = (...counts: number[]) =>
      target('passages embedded', [
        { metric: 'restart_embedded', labels: { backend: 'hnsw' }, runs: counts.map((count) => [count]) },
      ]);
    expect(restarts(0).met).toBe(true);
    expect(restarts(0, 3)).toMatchObject({ value: 3, met: false });
  });

  test('of pings is judged by stretches of time', () => {
    expect(target('ping', [pings(2)]).met).toBe(true);
    expect(target('ping', [pings(60)]).met).toBeNull(); // some stretches have a hang in them, some have none
  });

  test('that was not measured has no verdict', () => {
    expect(target('nDCG', [])).toMatchObject({ value: null, interval: null, met: null });
  });
});

test('what is too close counts as such, and a target at two sizes counts once', () => {
  const judged = judgeTargets(
    [
      ...indexing(420, [30, 31, 30], [10, 10, 10]),
      ...indexing(1500, [24, 27, 26], [10, 10, 10]),
      { metric: 'restart_embedded', labels: { backend: 'hnsw' }, runs: [[0]] },
    ],
    null,
  );
  expect(judged.filter(({ value }) => value !== null)).toHaveLength(3);
  expect(countTargets(judged)).toEqual({ met: 1, missed: 0, unclear: 1 });
});
