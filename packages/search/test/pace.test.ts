import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { IndexProgress } from '../src/index-status.js';
import { Pace } from '../src/pace.js';

/** A pace on a clock of its own. */
function paced(total: number, totalWeight: number) {
  const told: IndexProgress[] = [];
  let seconds = 0;
  const pace = new Pace({
    phase: 'embedding',
    label: 'Indexing documents',
    total,
    totalWeight,
    report: (progress) => told.push(progress),
    now: () => seconds * 1000,
  });
  return {
    pace,
    told,
    at(now: number) {
      seconds = now;
    },
    get left() {
      return told.at(-1)!.secondsLeft;
    },
  };
}

it('estimates well with a large unit beside many small ones', () => {
  // 100 seconds for the large one, whose neighbours come one by one, and then 20 for the others.
  const run = paced(1001, 1_200_000);
  const large = run.pace.begin(1_000_000);
  for (let second = 1; second <= 120; second++) {
    run.at(second);
    if (second < 100) large.reach(second / 100);
    else if (second === 100) large.end();
    const small = second <= 100 ? 1 : 45;
    for (let count = 0; count < small; count++) run.pace.begin(200).end();
    const left = run.left;
    if (second >= 10 && second <= 115) expect(left, `after ${second} s`).toBeDefined();
    if (left === undefined) continue;
    expect(left, `after ${second} s`).toBeGreaterThanOrEqual((120 - second) * 0.5);
    expect(left, `after ${second} s`).toBeLessThanOrEqual((120 - second) * 2 + 5);
  }
  expect(run.told.at(-1)).toMatchObject({ done: 1001, total: 1001, secondsLeft: 0 });
});

it('says nothing as long as the estimates differ', () => {
  const run = paced(1_000_000, 1_000_000);
  // Ten times as fast with each doubling, and far from the end.
  for (const [second, units] of [
    [1, 1],
    [2, 10],
    [4, 100],
    [8, 1000],
    [16, 10_000],
  ] as const) {
    run.at(second);
    run.pace.advance(units);
    expect(run.left, `after ${second} s`).toBeUndefined();
  }
});

it('does not take what was there already for the pace of the rest', () => {
  const run = paced(2000, 2000);
  run.at(0.1);
  run.pace.advance(1000);
  for (let second = 1; second <= 100; second++) {
    run.at(second);
    run.pace.advance(1);
  }
  // 900 at one a second.
  expect(run.left).toBe(900);
});

it('never goes back, and ends with all done, whatever units say of themselves', () => {
  const unit = fc.record({
    weight: fc.nat(1_000_000),
    shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
  });
  fc.assert(
    fc.property(fc.array(unit, { minLength: 1 }), fc.nat(1000), (units, pause) => {
      const run = paced(
        units.length,
        units.reduce((sum, { weight }) => sum + weight, 0),
      );
      let now = 0;
      for (const { weight, shares } of units) {
        const begun = run.pace.begin(weight);
        for (const share of shares) {
          now += pause;
          run.at(now);
          begun.reach(share);
        }
        begun.end();
      }
      const done = run.told.map((progress) => progress.done);
      expect(done).toEqual([...done].sort((one, other) => one - other));
      expect(done.at(-1)).toBe(units.length);
      for (const { secondsLeft } of run.told) {
        if (secondsLeft !== undefined) expect(Number.isFinite(secondsLeft) && secondsLeft >= 0).toBe(true);
      }
    }),
  );
});
