import {
  apartSentences,
  choiceSentences,
  type Measurement,
  measuredTwice,
  type Results,
  twiceSentences,
} from '@kettle/benchmarks';
import { describe, expect, test } from 'vitest';
import { madeUpResults } from './made-up-results.js';

const results = madeUpResults();

/** Backends with these medians, one for each process, at every place where backends are compared. */
function measured(medians: Record<string, number[]>): Results {
  const measurements = Object.entries(medians).flatMap(([backend, values]): Measurement[] => {
    const runs = values.map((value) => [value * 0.9, value, value * 1.1]);
    const rounds = values.map((_, index) => index);
    const labels = { backend, passages: 420 };
    return [
      { metric: 'query', labels: { ...labels, depth: 'mcp-stdio', state: 'warm' }, runs, rounds },
      { metric: 'build_storing', labels, runs: values.map((value) => [value]), rounds },
      { metric: 'build_total', labels, runs: values.map((value) => [1000 - value]), rounds },
    ];
  });
  const contenders = Object.keys(medians).map((name) => ({ name, summary: '', kind: 'backend' as const }));
  return { ...results, measurements, contenders };
}

describe('which backends can be told apart', () => {
  test('is said of every pair, not of neighbours alone', () => {
    const [sentence] = apartSentences(
      measured({ exact: [12, 12.2, 11.9], hnsw: [10, 12, 11], usearch: [10, 10.1, 10] }),
    );
    expect(sentence).toMatch(/usearch is quicker than exact \(×1\.\d\d to 1\.\d\d\);/);
    expect(sentence).toMatch(
      /can’t be told apart by this run: usearch and hnsw \(.*\), hnsw and exact \(.*\)/,
    );
  });

  test('or that they are the same', () => {
    const [sentence] = apartSentences(measured({ hnsw: [10, 20, 15], exact: [10.1, 20.1, 15] }));
    expect(sentence).toMatch(/: the same to 5 %: hnsw and exact \(×\d\.\d\d to \d\.\d\d\)\.$/);
  });

  test('never from one process', () => {
    const [sentence] = apartSentences(measured({ hnsw: [10], exact: [99] }));
    expect(sentence).toContain('measured in one process each, and one process tells nothing');
    const [mixed] = apartSentences(measured({ hnsw: [10, 10], exact: [99, 98], chroma: [500] }));
    expect(mixed).toContain(
      'one process tells nothing about how processes differ: hnsw and chroma, exact and chroma',
    );
    expect(mixed).not.toMatch(/than [^;]*chroma/);
  });

  test('of building, by the storing alone', () => {
    const [sentence] = apartSentences(measured({ hnsw: [10, 11, 10], exact: [99, 98, 99] }), 'storing');
    expect(sentence).toContain('hnsw is quicker than exact');
  });

  test('of memory and throughput too; nothing is said of a single backend', () => {
    expect(apartSentences(results, 'memory')[0]).toMatch(/^Memory of the process that answers: /);
    expect(apartSentences(results, 'throughput')[0]).toMatch(/^Queries per second .* one process each/);
    expect(apartSentences(measured({ hnsw: [1, 2] }))).toEqual([]);
  });
});

describe('the same configuration measured twice', () => {
  const rows = (medians: Record<string, number[]>, depth = 'mcp-stdio'): Results => ({
    ...results,
    measurements: Object.entries(medians).map(([backend, values]) => ({
      metric: 'query',
      labels: { backend, depth, state: 'warm', passages: 420 },
      runs: values.map((value) => [value]),
      rounds: values.map((_, index) => index),
    })),
  });

  test('says whether the interval holds 1', () => {
    expect(twiceSentences(rows({ hnsw: [10, 11, 10], hybrid: [10, 10.5, 10.4] }))[0]).toMatch(
      /^The same configuration measured twice: hnsw and hybrid, .*, 0\.\d\d to 1\.\d\d \(contains 1\)\.$/,
    );
    expect(twiceSentences(rows({ hnsw: [10, 11, 10], hybrid: [20, 22, 20.2] }))[0]).toContain(
      '(does not contain 1)',
    );
    expect(twiceSentences(rows({ hnsw: [10], hybrid: [20] }))[0]).toContain('nothing can be said');
  });

  test('is every pair of rows whose floor is the same; a copied row was measured once', () => {
    const pairs = (some: Results) => measuredTwice(some).map(({ names }) => names.join(' '));
    expect(pairs(rows({ hnsw: [1, 2], vector: [3, 4], hybrid: [5, 6] }, 'bare'))).toEqual([
      'hnsw vector',
      'hnsw hybrid',
      'vector hybrid',
    ]);
    expect(pairs(rows({ hnsw: [1, 2], hybrid: [1, 2] }))).toEqual([]);
    expect(pairs(rows({ hnsw: [1, 2], vector: [3, 4], hybrid: [1, 2] }, 'bare'))).toEqual(['hnsw vector']);
    expect(twiceSentences(rows({ hnsw: [1, 2] }))).toEqual([]);
  });
});

describe('which backend to choose', () => {
  test('follows from what they find, how quick they are here, and how they grow', () => {
    const [quality, speed, growth] = choiceSentences(results);
    expect(quality).toMatch(
      /^Backends answer these questions unequally well \(nDCG@10: exact 0\.\d{3}, hnsw 0\.\d{3}, chroma 0\.\d{3}\); the best search without vectors, bm25, gets 0\.\d{3}\.$/,
    );
    const alike = results.measurements.map((one) =>
      one.metric === 'ndcg_at_10' ? { ...one, runs: [[0.5, 0.7]] } : one,
    );
    expect(choiceSentences({ ...results, measurements: alike })[0]).toMatch(
      /^All backends answer these questions equally well, to a hundredth \(nDCG@10 0\.600\);/,
    );
    expect(speed).toMatch(
      /^With the 420 passages here, a search over MCP stdio takes \d.* ms with .* and .*\(median\)\. /,
    );
    expect(growth).toMatch(/^From 1\D?000 to 50\D?000 passages, .* from .* ms to .* ms with exact/);
  });

  test('names only those as slower that are shown to be', () => {
    const [mixed] = choiceSentences(
      measured({ hnsw: [10, 10.1, 10], exact: [10, 20, 15], chroma: [50, 51, 50] }),
    );
    expect(mixed).toMatch(
      /\. This run shows chroma to be slower than hnsw and exact, and none of these to be slower than another\.$/,
    );
    const [none] = choiceSentences(measured({ hnsw: [10, 20, 15], exact: [12, 18, 16] }));
    expect(none).toMatch(/\. This run shows none to be slower than another\.$/);
    const [alone] = choiceSentences(measured({ hnsw: [10], exact: [99] }));
    expect(alone).toMatch(/\. This run shows none to be slower than another\.$/);
  });

  test('says nothing of what was not measured', () => {
    expect(choiceSentences({ ...results, measurements: [] })).toEqual([]);
    expect(choiceSentences(measured({ hnsw: [1, 2] }))).toEqual([]);
  });
});
