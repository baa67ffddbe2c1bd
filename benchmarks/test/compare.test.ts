import { type Comparison, compareResults, comparisonText, type Results } from '@kettle/benchmarks';
import { describe, expect, test } from 'vitest';
import { madeUpResults } from './made-up-results.js';

const before = madeUpResults();

/** Keys of the changes with this verdict. */
function keys({ changes }: Comparison, verdict: string): string[] {
  return changes.filter((change) => change.verdict === verdict).map(({ key }) => key);
}

/** The results with other samples of one metric. */
function changed(results: Results, metric: string, change: (sample: number) => number): Results {
  return {
    ...results,
    measurements: results.measurements.map((measurement) =>
      measurement.metric === metric
        ? { ...measurement, runs: measurement.runs.map((run) => run.map(change)) }
        : measurement,
    ),
  };
}

describe('comparing two runs', () => {
  test('a run is the same as itself', () => {
    const comparison = compareResults(before, before);
    expect(keys(comparison, 'worse')).toEqual([]);
    expect(keys(comparison, 'better')).toEqual([]);
    expect(comparison.timesLeftOut).toBeUndefined();
  });

  test('another run of the same code has changed in nothing', () => {
    const comparison = compareResults(before, madeUpResults({ seed: 2 }));
    const qualities = /^(recall|hit|ndcg|mrr|neighbour|top)/; // made up anew for each seed, so they do differ
    expect(keys(comparison, 'worse').filter((key) => !qualities.test(key))).toEqual([]);
    expect(keys(comparison, 'better').filter((key) => !qualities.test(key))).toEqual([]);
  });

  test('a backend that became slower is found, and only that one', () => {
    const comparison = compareResults(before, madeUpResults({ slower: { chroma: 1.5 } }));
    const worse = keys(comparison, 'worse').filter((key) => key.startsWith('query '));
    expect(worse.length).toBeGreaterThanOrEqual(5);
    for (const key of worse) expect(key).toContain('backend=chroma');
    expect(comparisonText(comparison)).toMatch(/worse \(\d+\)\n {2}query \(backend=chroma/);
  });

  test('and one that became quicker is better', () => {
    const comparison = compareResults(madeUpResults({ slower: { hnsw: 1.5 } }), before);
    expect(keys(comparison, 'better').some((key) => key.includes('backend=hnsw'))).toBe(true);
    expect(keys(comparison, 'worse')).toEqual([]);
  });

  test('a loss of quality is worse, question by question', () => {
    const after = changed(before, 'ndcg_at_10', (sample) => sample * 0.9);
    expect(keys(compareResults(before, after), 'worse')).toContain('ndcg_at_10 backend=hnsw passages=420');
  });

  test('embedding at a restart is worse than not', () => {
    const after = changed(before, 'restart_embedded', () => 3);
    expect(keys(compareResults(before, after), 'worse')).toContain(
      'restart_embedded backend=hnsw passages=420',
    );
    expect(keys(compareResults(after, before), 'better')).toContain(
      'restart_embedded backend=hnsw passages=420',
    );
  });

  test('memory, also that of generated folders, may differ by a fourth from run to run; disks may not', () => {
    const sizes = ['memory', 'whole_memory', 'whole_peak_memory', 'whole_disk_store'];
    const after = sizes.reduce((results, metric) => changed(results, metric, (bytes) => bytes * 1.2), before);
    const worse = keys(compareResults(before, after), 'worse');
    expect(new Set(worse.map((key) => key.split(' ')[0]))).toEqual(new Set(['whole_disk_store']));
    const more = sizes.reduce((results, metric) => changed(results, metric, (bytes) => bytes * 1.4), before);
    const names = keys(compareResults(before, more), 'worse').map((key) => key.split(' ')[0]!);
    expect(new Set(names)).toEqual(new Set(sizes));
  });

  test('an event loop that hangs for longer is worse, however short most waits are', () => {
    const late = (results: Results, ms: number): Results => ({
      ...results,
      measurements: results.measurements.map((measurement) =>
        measurement.metric === 'whole_lag'
          ? { ...measurement, runs: [[...new Array(300).fill(1), ...new Array(20).fill(ms)]] }
          : measurement,
      ),
    });
    const comparison = compareResults(late(before, 20), late(before, 60));
    expect(keys(comparison, 'worse').map((key) => key.split(' ')[0])).toEqual(new Array(3).fill('whole_lag'));
    expect(keys(compareResults(late(before, 20), late(before, 25)), 'worse')).toEqual([]);
  });

  test('times of different machines are not compared, qualities and sizes are', () => {
    const machine = { ...before.method.machine, cpu: 'Another CPU' };
    const other: Results = { ...before, method: { ...before.method, machine } };
    const after = changed(
      changed(other, 'query', (ms) => ms * 3),
      'disk',
      (bytes) => bytes * 2,
    );
    const comparison = compareResults(before, after);
    expect(comparison.timesLeftOut).toContain('Another CPU');
    expect(keys(comparison, 'worse').every((key) => key.startsWith('disk'))).toBe(true);
    expect(keys(comparison, 'worse').length).toBeGreaterThan(0);
    expect(comparisonText(comparison)).toMatch(/^Times are not compared: the machines differ/);
  });

  test('nor are times of a machine that was busy with something else', () => {
    const after = changed(
      changed(before, 'query', (ms) => ms * 3),
      'calibration',
      (ms) => ms * 1.4,
    );
    const comparison = compareResults(before, after);
    expect(comparison.timesLeftOut).toContain('1.40 times the time');
    expect(keys(comparison, 'worse')).toEqual([]);
  });

  test('what only one run has is named', () => {
    const fewer = { ...before, measurements: before.measurements.filter(({ metric }) => metric !== 'ping') };
    expect(compareResults(before, fewer).onlyBefore).toEqual([
      'ping backend=vector depth=mcp-stdio passages=420 phase=alone',
      'ping backend=hnsw depth=mcp-stdio phase=indexing',
      'ping backend=hnsw depth=mcp-stdio phase=idle',
    ]);
    expect(compareResults(fewer, before).onlyAfter).toHaveLength(3);
  });
});
