import {
  documentRanking,
  hitAt,
  ndcgAt,
  neighbourRecall,
  recallAt,
  recallCeilingAt,
  reciprocalRankAt,
  separation,
} from '@kettle/benchmarks';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

// Every expected value in here was worked out by hand; the sums are in the comments.
const grades = new Map([
  ['a', 1],
  ['b', 2],
  ['c', 1],
  ['judged-irrelevant', 0],
]);

describe('document ranking', () => {
  test('a document stands where its first passage does', () => {
    const hits = ['b', 'a', 'b', 'c', 'a'].map((document) => ({ document }));
    expect(documentRanking(hits)).toEqual(['b', 'a', 'c']);
  });
});

describe('recall@k', () => {
  test('counts relevant documents among the first k, out of all relevant ones', () => {
    const ranking = ['x', 'a', 'judged-irrelevant', 'b', 'y', 'c'];
    expect(recallAt(1, ranking, grades)).toBe(0);
    expect(recallAt(2, ranking, grades)).toBeCloseTo(1 / 3);
    expect(recallAt(5, ranking, grades)).toBeCloseTo(2 / 3);
    expect(recallAt(10, ranking, grades)).toBe(1);
  });

  test('divides by all relevant documents even where they are more than k', () => {
    expect(recallAt(1, ['b', 'a', 'c'], grades)).toBeCloseTo(1 / 3);
  });

  test('its ceiling is what the best ranking reaches: three relevant documents, one or five places', () => {
    expect(recallCeilingAt(1, grades)).toBeCloseTo(1 / 3);
    expect(recallCeilingAt(5, grades)).toBe(1);
    const many = new Map(Array.from({ length: 8 }, (_, index) => [`d${index}`, 1] as const));
    expect(recallCeilingAt(5, many)).toBeCloseTo(5 / 8);
    expect(recallAt(5, [...many.keys()], many)).toBeCloseTo(5 / 8);
    expect(() => recallCeilingAt(5, new Map([['a', 0]]))).toThrow(RangeError);
  });

  test('is refused for a question without a relevant document', () => {
    expect(() => recallAt(5, ['a'], new Map([['a', 0]]))).toThrow(RangeError);
  });
});

describe('hit@k', () => {
  test('is 1 where a relevant document is among the first k, and 0 elsewhere', () => {
    expect(hitAt(2, ['x', 'a', 'b'], grades)).toBe(1);
    expect(hitAt(1, ['x', 'a', 'b'], grades)).toBe(0);
    expect(hitAt(5, ['x', 'judged-irrelevant'], grades)).toBe(0);
  });
});

describe('MRR@10', () => {
  test('is one over the rank of the first relevant document', () => {
    expect(reciprocalRankAt(10, ['x', 'judged-irrelevant', 'c', 'b'], grades)).toBeCloseTo(1 / 3);
  });

  test('is 0 where the first relevant document comes after k', () => {
    const late = [...Array.from({ length: 10 }, (_, index) => `x${index}`), 'a'];
    expect(reciprocalRankAt(10, late, grades)).toBe(0);
    expect(reciprocalRankAt(11, late, grades)).toBeCloseTo(1 / 11);
  });
});

describe('nDCG@10', () => {
  test('uses grades as gains, linearly', () => {
    // DCG  = 1/log2(2) + 0/log2(3) + 2/log2(4) = 1 + 0 + 1 = 2
    // IDCG = 2/log2(2) + 1/log2(3) + 1/log2(4) = 2 + 0.63093 + 0.5 = 3.13093
    // Exponential gains would give (1 + 3/2) / (3 + 0.63093 + 0.5) = 0.6052 instead.
    expect(ndcgAt(10, ['a', 'x', 'b'], grades)).toBeCloseTo(2 / 3.13093, 5);
  });

  test('is 1 for the best order and only for that', () => {
    expect(ndcgAt(10, ['b', 'a', 'c'], grades)).toBe(1);
    expect(ndcgAt(10, ['b', 'c', 'a', 'x'], grades)).toBe(1);
    expect(ndcgAt(10, ['a', 'b', 'c'], grades)).toBeLessThan(1);
  });

  test('sees nothing after rank k, neither in the ranking nor in the best order', () => {
    // At 1: DCG = 1, IDCG = 2.
    expect(ndcgAt(1, ['a', 'b'], grades)).toBeCloseTo(0.5);
    expect(ndcgAt(1, ['b'], grades)).toBe(1);
  });

  test('lies between 0 and 1, and a swap towards the ideal never lowers it', () => {
    const documents = ['a', 'b', 'c', 'x', 'y'];
    fc.assert(
      fc.property(fc.shuffledSubarray(documents, { minLength: 2 }), fc.nat(), (ranking, seed) => {
        const value = ndcgAt(10, ranking, grades);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1 + 1e-12);
        const at = seed % (ranking.length - 1);
        const [left, right] = [ranking[at]!, ranking[at + 1]!];
        if ((grades.get(left) ?? 0) >= (grades.get(right) ?? 0)) return;
        const swapped = ranking.with(at, right).with(at + 1, left);
        expect(ndcgAt(10, swapped, grades)).toBeGreaterThan(value);
      }),
    );
  });
});

describe('neighbour recall', () => {
  test('counts answers that are as near as the true neighbours', () => {
    const truth = [0.1, 0.2, 0.3, 0.4];
    expect(neighbourRecall([0.1, 0.2, 0.3, 0.4], truth)).toBe(1);
    expect(neighbourRecall([0.1, 0.2, 0.4, 0.5], truth)).toBe(0.75);
    expect(neighbourRecall([], truth)).toBe(0);
  });

  test('takes any of several records that are equally far away', () => {
    expect(neighbourRecall([0.1, 0.300001], [0.1, 0.3])).toBe(1);
  });
});

describe('questions without an answer', () => {
  test('AUROC counts the pairs that are the right way round, ties as half', () => {
    // Pairs: 0.1<0.3, 0.1<0.2, 0.3=0.3 (half), 0.3>0.2: 2.5 of 4.
    expect(separation([0.1, 0.3], [0.3, 0.2]).auroc).toBeCloseTo(0.625);
    expect(separation([0.1, 0.2], [0.3, 0.4]).auroc).toBe(1);
  });

  test('the threshold keeps 95 % of the answerable, and says how many of the others it turns away', () => {
    const answerable = Array.from({ length: 21 }, (_, index) => index / 100); // 0 to 0.20
    const { threshold, rejected } = separation(answerable, [0.1, 0.195, 0.3, 0.4]);
    expect(threshold).toBeCloseTo(0.19);
    expect(rejected).toBe(0.75);
  });

  test.each([1, 2, 10, 19, 20, 39])(
    'the threshold keeps at least 95 %% of %d, and no more than it must',
    (n) => {
      const answerable = Array.from({ length: n }, (_, index) => index);
      const { threshold } = separation(answerable, [0]);
      const kept = (ceiling: number) => answerable.filter((distance) => distance <= ceiling).length / n;
      expect(kept(threshold)).toBeGreaterThanOrEqual(0.95);
      expect(kept(threshold - 1)).toBeLessThan(0.95);
    },
  );
});
