import {
  bootstrapInterval,
  bootstrapPairedDifference,
  bootstrapRatio,
  differenceVerdict,
  exponent,
  interleave,
  judgeTargets,
  mean,
  median,
  quantile,
  ratioVerdict,
  seededRandom,
} from '@kettle/benchmarks';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

/** Samples around `centre`, from a seed. */
function noisy(centre: number, count: number, seed: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => centre * (0.8 + 0.4 * random()));
}

describe('quantile', () => {
  test('interpolates between the two nearest samples, as NumPy does', () => {
    // numpy.quantile([10, 20, 30, 40], [0, .25, .5, .95, 1]) = [10, 17.5, 25, 38.5, 40]
    const samples = [40, 10, 30, 20];
    expect([0, 0.25, 0.5, 0.95, 1].map((q) => quantile(samples, q))).toEqual([10, 17.5, 25, 38.5, 40]);
    expect(samples).toEqual([40, 10, 30, 20]); // left as they were
  });

  test('is refused without samples and outside 0 to 1', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
    expect(() => quantile([1], 1.5)).toThrow(RangeError);
  });

  test('lies within the samples and rises with q', () => {
    const samples = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 });
    fc.assert(
      fc.property(samples, fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
        const value = quantile(values, q);
        expect(value).toBeGreaterThanOrEqual(Math.min(...values));
        expect(value).toBeLessThanOrEqual(quantile(values, 1));
      }),
    );
  });
});

describe('bootstrap', () => {
  test('the interval holds the true median about as often as it says', () => {
    let held = 0;
    const trials = 200;
    for (let trial = 0; trial < trials; trial++) {
      const { low, high } = bootstrapInterval([noisy(10, 60, trial)], median, {
        seed: trial,
        resamples: 200,
      });
      if (low <= 10 && 10 <= high) held++;
    }
    expect(held / trials).toBeGreaterThan(0.88);
    expect(held / trials).toBeLessThan(1);
  });

  test('the same seed gives the same interval, another seed another one', () => {
    const runs = [noisy(10, 40, 1)];
    expect(bootstrapInterval(runs, mean, { seed: 7 })).toEqual(bootstrapInterval(runs, mean, { seed: 7 }));
    expect(bootstrapInterval(runs, mean, { seed: 7 })).not.toEqual(
      bootstrapInterval(runs, mean, { seed: 8 }),
    );
  });

  test('differences between processes widen the interval', () => {
    const width = (runs: number[][]) => {
      const { low, high } = bootstrapInterval(runs, median);
      return high - low;
    };
    const alike = [noisy(10, 50, 1), noisy(10, 50, 2), noisy(10, 50, 3)];
    const apart = [noisy(8, 50, 1), noisy(10, 50, 2), noisy(12, 50, 3)];
    expect(width(apart)).toBeGreaterThan(2 * width(alike));
    // One pot would hide that: there the widths hardly differ.
    expect(width([apart.flat()])).toBeLessThan(width(apart));
  });

  test('a target has no interval where each side has one sample, and one where either has more', () => {
    const target = (loops: number[][]) =>
      judgeTargets(
        [
          { metric: 'indexing_loop', labels: { passages: 420 }, runs: loops },
          { metric: 'build_total', labels: { backend: 'hnsw', passages: 420 }, runs: [[10]] },
        ],
        null,
      ).find(({ title }) => title.startsWith('indexing'))!;
    expect(target([[30]])).toMatchObject({ value: 3, interval: null, met: true });
    const several = target([[30], [32]]);
    expect(several.value).toBe(3.1);
    expect(several.interval).toEqual({ low: 3, high: 3.2 });
  });

  test('the interval of a ratio surrounds the ratio', () => {
    const { low, high } = bootstrapRatio([noisy(10, 80, 1)], [noisy(20, 80, 2)], median);
    expect(low).toBeGreaterThan(1.7);
    expect(low).toBeLessThan(2);
    expect(high).toBeGreaterThan(2);
    expect(high).toBeLessThan(2.3);
  });

  test('pairs cancel what makes questions hard', () => {
    const before = noisy(10, 50, 1);
    const { low, high } = bootstrapPairedDifference(
      before,
      before.map((value) => value + 0.5),
    );
    expect(low).toBeCloseTo(0.5);
    expect(high).toBeCloseTo(0.5);
    expect(() => bootstrapPairedDifference([1], [1, 2])).toThrow(RangeError);
  });
});

describe('verdict', () => {
  test.each([
    [{ low: 1.2, high: 1.4 }, 'larger'],
    [{ low: 0.5, high: 0.6 }, 'smaller'],
    [{ low: 0.98, high: 1.02 }, 'same'],
    [{ low: 0.9, high: 1.3 }, 'unclear'],
    [{ low: 1.01, high: 1.3 }, 'unclear'],
  ])('a ratio of %o is %s', (interval, expected) => {
    expect(ratioVerdict(interval)).toBe(expected);
  });

  test.each([
    [{ low: 0.02, high: 0.04 }, 'larger'],
    [{ low: -0.04, high: -0.02 }, 'smaller'],
    [{ low: -0.005, high: 0.005 }, 'same'],
    [{ low: -0.005, high: 0.05 }, 'unclear'],
  ])('a difference of %o is %s', (interval, expected) => {
    expect(differenceVerdict(interval, 0.01)).toBe(expected);
  });
});

describe('interleaving', () => {
  test('every repetition takes each item once, in orders that differ', () => {
    const items = ['a', 'b', 'c', 'd'];
    const turns = interleave(items, 6, 3);
    const orders = Array.from({ length: 6 }, (_, repetition) =>
      turns.filter((turn) => turn.repetition === repetition).map(({ item }) => item),
    );
    for (const order of orders) expect([...order].sort()).toEqual(items);
    expect(new Set(orders.map((order) => order.join())).size).toBeGreaterThan(1);
    expect(interleave(items, 6, 3)).toEqual(turns);
  });
});

describe('exponent', () => {
  test.each([
    [[1, 10, 100], [2, 20, 200], 1],
    [[1, 10, 100], [5, 5, 5], 0],
    [[1, 4, 16], [3, 6, 12], 0.5],
    [[10, 1000], [1, 1e6], 3],
    // By hand: log10 values 0, 1, 1 over 0, 1, 2 have the slope 1/2.
    [[1, 10, 100], [1, 10, 10], 0.5],
  ])('of %j to %j is %d', (sizes, values, expected) => {
    expect(exponent(sizes, values)).toBeCloseTo(expected, 10);
  });

  test('is not known from one size, nor from what is missing or nothing', () => {
    expect(exponent([10], [10])).toBeUndefined();
    expect(exponent([1, 10], [1, undefined])).toBeUndefined();
    expect(exponent([1, 10], [0, 10])).toBeUndefined();
    expect(exponent([10, 10], [1, 2])).toBeUndefined();
  });
});
