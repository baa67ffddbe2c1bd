import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Comparison,
  compareResults,
  comparisonText,
  IncomparableError,
  isWorse,
  type Results,
  writeResults,
} from '@kettle/benchmarks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

  test('memory may differ by a fourth from run to run, and decides nothing in one process; disks are exact', () => {
    const sizes = ['memory', 'whole_memory', 'whole_disk_store'];
    // As many processes as it takes: two of 9 and 9.5 MB can't tell a doubling from chance at 99 %.
    const steady: Results = {
      ...before,
      measurements: before.measurements.map((one) =>
        one.metric === 'memory' && one.runs.length > 1 ? { ...one, runs: [[9e6], [9.2e6], [9.1e6]] } : one,
      ),
    };
    const grown = (factor: number) =>
      sizes.reduce<Results>((results, metric) => changed(results, metric, (bytes) => bytes * factor), steady);
    const names = (factor: number, verdict: string) => [
      ...new Set(keys(compareResults(steady, grown(factor)), verdict).map((key) => key.split(' ')[0])),
    ];
    expect(names(1.2, 'worse')).toEqual(['whole_disk_store']);
    expect(names(1.2, 'alone')).toEqual([]);
    expect(names(1.5, 'worse').sort()).toEqual(['memory', 'whole_disk_store']);
    expect(names(1.5, 'alone').sort()).toEqual(['memory', 'whole_memory']);
  });

  test('an event loop that hangs for longer is worse, however short most waits are', () => {
    const late = (results: Results, ms: number): Results => ({
      ...results,
      measurements: results.measurements.map((measurement) =>
        measurement.metric === 'whole_lag'
          ? { ...measurement, runs: [Array.from({ length: 320 }, (_, tick) => (tick % 16 === 0 ? ms : 1))] }
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

  test('one process against one is never a verdict, nor an interval', () => {
    const alone = ['whole_total', 'whole_query', 'throughput', 'whole_restart'];
    const after = alone.reduce(
      (results, metric) => changed(results, metric, (value) => value * (metric === 'throughput' ? 0.2 : 5)),
      before,
    );
    const comparison = compareResults(before, after);
    expect(isWorse(comparison)).toBe(false);
    const moved = comparison.changes.filter(({ verdict }) => verdict === 'alone');
    expect(new Set(moved.map(({ metric }) => metric))).toEqual(new Set(alone));
    for (const { interval } of moved) expect(interval).toBeNull();
    expect(comparisonText(comparison)).toContain('moved, but one process each, no verdict (');
  });

  test.each(['query', 'ping'])('a longer tail of %s is worse, though the middle is the same', (metric) => {
    const after: Results = {
      ...before,
      measurements: before.measurements.map((one) =>
        one.metric === metric && one.labels.state !== 'cold'
          ? { ...one, runs: one.runs.map((run) => run.map((ms, index) => (index % 12 === 0 ? ms * 30 : ms))) }
          : one,
      ),
    };
    const worse = keys(compareResults(before, after), 'worse').filter((key) => key.startsWith(`${metric} `));
    expect(worse.some((key) => key.endsWith(' p95'))).toBe(true);
    expect(comparisonText(compareResults(before, after))).toMatch(
      new RegExp(`^ {2}${metric} p95 \\([^)]*=[a-z0-9-]+\\): `, 'm'),
    );
    expect(worse.filter((key) => !/ p9[59]$/.test(key))).toEqual([]);
  });

  test('questions without an answer are compared by what their distance tells', () => {
    const near = (results: Results): Results => ({
      ...results,
      measurements: results.measurements.map((one) =>
        one.metric === 'top_distance' && one.labels.answerable === false
          ? { ...one, runs: one.runs.map((run) => run.map(() => 0.05)) }
          : one,
      ),
    });
    const answers = (comparison: Comparison, verdict: string) =>
      keys(comparison, verdict).filter(
        (key) => key.includes('backend=hnsw') && key.startsWith('top_distance'),
      );
    const both = [
      'top_distance backend=hnsw passages=420 auroc',
      'top_distance backend=hnsw passages=420 rejected',
    ];
    expect(answers(compareResults(before, near(before)), 'worse')).toEqual(both);
    expect(answers(compareResults(near(before), before), 'better')).toEqual(both);
    expect(answers(compareResults(before, before), 'same')).toEqual(both);
  });

  test('a target that was met and is missed is worse', () => {
    const start = (times: number) => changed(before, 'start', (ms) => (ms > 100 ? ms * times : ms)); // those of Kettle, not of bare Node
    const comparison = compareResults(before, start(2));
    expect(comparison.targets).toEqual([
      { title: 'start to the reply to initialize, against starting bare Node', verdict: 'worse' },
    ]);
    expect(isWorse(comparison)).toBe(true);
    expect(comparisonText(comparison)).toContain('target no longer met: start to the reply');
    expect(compareResults(start(2), before).targets[0]!.verdict).toBe('better');
  });

  test('what the second run does not have is worse, with what it says of it', () => {
    const without: Results = {
      ...before,
      measurements: before.measurements.filter(({ labels }) => labels.backend !== 'chroma'),
      absences: [{ labels: { backend: 'chroma' }, reason: 'it crashed' }],
    };
    const comparison = compareResults(before, without);
    expect(comparison.missing.length).toBeGreaterThan(10);
    for (const { backend, reason } of comparison.missing)
      expect({ backend, reason }).toEqual({ backend: 'chroma', reason: 'it crashed' });
    expect(isWorse(comparison)).toBe(true);
    expect(comparisonText(comparison)).toMatch(
      /^missing in the second, which is worse \(\d+\)\n {2}chroma: it crashed \(\d+\)\n/,
    );
    const more = compareResults(without, before);
    expect(more.missing).toEqual([]);
    expect(more.onlyAfter).toHaveLength(comparison.missing.length);
    expect(isWorse(more)).toBe(false);
  });

  const { method, corpus } = before;
  test.each<[string, Partial<Results>, RegExp]>([
    ['plan', { method: { ...method, plan: 'quick' } }, /the plan differs \(default; quick\)/],
    [
      'count in the plan',
      { method: { ...method, counts: { questions: 30, sizes: [1] } } },
      /the plan's sizes differs \(\[1,2\]; \[1\]\)/,
    ],
    ['seed', { method: { ...method, seed: 2 } }, /the seed differs \(1; 2\)/],
    ['corpus', { corpus: { ...corpus, characters: 1 } }, /the corpus differs/],
    ['model', { corpus: { ...corpus, model: 'another' } }, /the model differs \(made-up; another\)/],
    ['questions', { corpus: { ...corpus, unanswerable: ['x'] } }, /the judged questions differ/],
    ['nothing in common', { measurements: before.measurements.slice(-1) }, /nothing that both have measured/],
  ])('is refused with another %s, saying what to do', (_, other, message) => {
    const counted = { ...before, method: { ...method, counts: { questions: 30, sizes: [1, 2] } } };
    const compare = () => compareResults(counted, { ...counted, ...other });
    expect(compare).toThrow(IncomparableError);
    expect(compare).toThrow(message);
    expect(compare).toThrow(/Run /);
  });
});

describe('pnpm bench --compare', () => {
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kettle-compare-'));
    await writeResults(join(directory, 'a'), before);
    await writeResults(
      join(directory, 'worse'),
      changed(before, 'restart_embedded', () => 3),
    );
    await writeResults(join(directory, 'seed'), { ...before, method: { ...before.method, seed: 2 } });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test.each([
    [0, 'nothing is worse', 'a', /the same, /],
    [1, 'something is', 'worse', /^worse \(\d+\)/m],
    [2, 'they can’t be compared', 'seed', /the seed differs \(1; 2\).*Run both/],
    [2, 'one can’t be read', 'none', /can't be read as results/],
  ])('ends with %d when %s', (code, _, second, output) => {
    const args = [main, '--compare', join(directory, 'a'), join(directory, second)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout + stderr).toMatch(output);
    expect(status).toBe(code);
  });
});
