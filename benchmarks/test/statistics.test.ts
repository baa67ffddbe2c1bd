import {
  blockBootstrapInterval,
  bootstrapInterval,
  bootstrapPairedDifference,
  differenceVerdict,
  exponent,
  interleave,
  mean,
  median,
  processInterval,
  processRatio,
  quantile,
  ratioVerdict,
  seededRandom,
  studentQuantile,
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

/** Samples of processes that differ from each other, and rounds that do, by shares that are normally distributed. */
function simulator(seed: number) {
  const random = seededRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return (rounds: readonly number[], truth: number, between = 0.15) =>
    rounds.map((round) => {
      const process = truth * round * Math.exp(between * normal());
      return Array.from({ length: 15 }, () => process * Math.exp(0.4 * normal()));
    });
}

const holds = (interval: { low: number; high: number } | null, truth: number) =>
  interval !== null && interval.low <= truth && truth <= interval.high;

describe('Student', () => {
  test.each([
    // From the usual tables.
    [0.975, 1, 12.706],
    [0.975, 2, 4.303],
    [0.975, 5, 2.571],
    [0.995, 4, 4.604],
    [0.975, 120, 1.98],
  ])('the %d quantile with %d degrees of freedom is %d', (p, freedom, expected) => {
    expect(studentQuantile(p, freedom)).toBeCloseTo(expected, 3);
  });
});

describe('between processes', () => {
  test.each([2, 3, 4, 5, 6])('with %d of them, 95 %% intervals hold the truth as often as they say', (n) => {
    const simulate = simulator(n);
    const weather = simulator(100 + n);
    const trials = 800;
    let [paired, unpaired, level] = [0, 0, 0];
    for (let trial = 0; trial < trials; trial++) {
      const alike = new Array<number>(n).fill(1);
      const rounds = alike.map((_, index) => index);
      const pace = weather(alike, 1).map(([first]) => first!); // a slow minute slows both sides
      const [a, b] = [simulate(pace, 1), simulate(pace, 1.3)];
      if (holds(processRatio({ runs: a, rounds }, { runs: b, rounds }, median).interval, 1.3)) paired++;
      const [c, d] = [simulate(alike, 1), simulate(alike, 1)];
      if (holds(processRatio({ runs: c }, { runs: d }, median).interval, 1)) unpaired++;
      if (holds(processInterval(c, median), 1)) level++;
    }
    for (const held of [paired, unpaired, level]) {
      expect(held / trials).toBeGreaterThanOrEqual(0.93);
      expect(held / trials).toBeLessThan(0.98);
    }
  });

  test('with one there is no interval, however many samples it took', () => {
    const one = [noisy(10, 500, 1)];
    const two = [noisy(10, 50, 1), noisy(11, 50, 2)];
    expect(processInterval(one, median)).toBeNull();
    expect(processRatio({ runs: one }, { runs: two }, median).interval).toBeNull();
    expect(processRatio({ runs: two }, { runs: one }, median).interval).toBeNull();
    expect(ratioVerdict(null)).toBe('unclear');
  });

  test('the same rounds cancel what slows both, in whatever order they stand; other rounds are not paired', () => {
    const [quick, slow] = [[10], [30]];
    const width = (rounds: number[] | undefined, others: number[]) => {
      const { low, high } = processRatio(
        { runs: [quick, slow, [20]], ...(rounds && { rounds }) },
        { runs: [[41], [22], [60]], rounds: others },
        median,
      ).interval!;
      return high / low;
    };
    expect(width([0, 1, 2], [2, 0, 1])).toBeLessThan(1.4);
    expect(width([0, 1, 2], [5, 3, 4])).toBeGreaterThan(3);
    expect(width(undefined, [2, 0, 1])).toBeGreaterThan(3);
  });

  test('times of none have no ratio', () => {
    expect(processInterval([[0], [1]], median)).toBeNull();
  });
});

describe('bootstrap', () => {
  test('over questions, the interval holds the true median about as often as it says', () => {
    let held = 0;
    const trials = 200;
    for (let trial = 0; trial < trials; trial++)
      if (holds(bootstrapInterval(noisy(10, 60, trial), median, { seed: trial, resamples: 200 }), 10)) held++;
    expect(held / trials).toBeGreaterThan(0.88);
    expect(held / trials).toBeLessThan(1);
  });

  test('in time, stretches are drawn whole: one hang is many late pings, and one event', () => {
    const random = seededRandom(5);
    const pings = (count: number) => {
      let hang = 0;
      return Array.from({ length: count }, () => {
        if (hang <= 0 && random() < 1 / 70) hang = 3 + 14 * random();
        return 1 + random() + 5 * Math.max(0, hang--);
      });
    };
    const p99 = (samples: ArrayLike<number>) => quantile(Array.from(samples), 0.99);
    const truth = p99(pings(300_000));
    let [blocks, single] = [0, 0];
    const trials = 60;
    for (let trial = 0; trial < trials; trial++) {
      const samples = pings(1400);
      const options = { seed: trial, resamples: 150 };
      if (holds(blockBootstrapInterval(samples, p99, options), truth)) blocks++;
      if (holds(bootstrapInterval(samples, p99, options), truth)) single++;
    }
    expect(blocks / trials).toBeGreaterThan(0.85);
    expect(single).toBeLessThan(blocks);
  });

  test('the same seed gives the same interval, another seed another one', () => {
    const samples = noisy(10, 40, 1);
    const interval = (seed: number) => bootstrapInterval(samples, mean, { seed });
    expect(interval(7)).toEqual(interval(7));
    expect(interval(7)).not.toEqual(interval(8));
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
