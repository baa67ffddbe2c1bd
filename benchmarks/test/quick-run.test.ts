import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defaultBackend,
  defaultMode,
  keyOf,
  mean,
  quickPlan,
  type Results,
  readResults,
  searchModeNames,
  select,
  writeResults,
} from '@kettle/benchmarks';
import { backends } from '@kettle/server/backends';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bench, type Ended, withAddedBackend } from './command.js';
import { taken, writeBeir } from './part-of-cafe.js';

const minutes = 60_000;

/** Registered by {@link withAddedBackend} alone. */
const added = 'outsider';

// One real run for all of these: real model, real stores, real servers, on somebody's own data.
describe('pnpm bench --quick --corpus DIR --queries FILE --qrels FILE, in BEIR layout', () => {
  let directory: string;
  let own: string;
  let ended: Ended;
  let results: Results;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kettle-quick-'));
    own = await mkdtemp(join(tmpdir(), 'kettle-beir-'));
    ended = await bench(['--quick', ...(await writeBeir(own)), '--out', directory], withAddedBackend);
    expect(ended.stderr).not.toMatch(/Error/);
    expect(ended.code).toBe(0);
    results = await readResults(directory);
  }, 15 * minutes);
  afterAll(async () => {
    for (const made of [directory, own]) await rm(made, { recursive: true, force: true });
  });

  test('measures the documents and questions it was given', () => {
    const { documents, answerable, unanswerable } = results.corpus;
    expect(documents).toBe(taken.length);
    expect(answerable.length).toBeGreaterThan(40);
    expect(unanswerable.length).toBeGreaterThan(0);
    // Documents are found under the ids that the judgments name them by.
    for (const { name } of backends) {
      const [recall] = select(results.measurements, 'recall_at_5', { backend: name });
      if (recall) expect(mean(recall.runs.flat()), name).toBeGreaterThan(0.8);
    }
    expect(ended.stdout).toContain('recall@5');
  });

  test('measures every backend of the registry, and says why where it could not', () => {
    for (const name of [...backends.map(({ name }) => name), added]) {
      const excused = results.absences.some(({ labels, reason }) => labels.backend === name && reason !== '');
      const measured = select(results.measurements, 'build_total', { backend: name }).length > 0;
      expect(measured || excused, name).toBe(true);
      expect(ended.stdout).toContain(name);
    }
    for (const name of ['hnsw', 'exact'])
      expect(
        select(results.measurements, 'query', {
          backend: name,
          depth: 'mcp-stdio',
          state: 'warm',
          clients: undefined,
        }),
      ).toHaveLength(1);
  });

  test('a backend that is registered has every measurement, and is in every table and plot', async () => {
    const keysOf = (backend: string) =>
      results.measurements
        .filter(({ labels }) => labels.backend === backend)
        .map(({ metric, labels }) => keyOf({ metric, labels: { ...labels, backend: 'any' } }))
        .sort();
    expect(keysOf(added)).toEqual(keysOf('usearch'));
    const read = (name: string) => readFile(join(directory, name), 'utf8');
    const tables = (await read('report.md')).split('\n\n').filter((block) => block.startsWith('|'));
    // The last section names installed packages, which is something else.
    const sections = (await read('report.html')).split('<section').slice(1, -1);
    for (const [shown, least] of [
      [tables, 7],
      [sections, 7],
    ] as const) {
      const withOthers = shown.filter((part) => part.includes('usearch'));
      expect(withOthers.length).toBeGreaterThanOrEqual(least);
      expect(withOthers.filter((part) => !part.includes(added))).toEqual([]);
    }
  });

  test('the default backend is measured at every depth, cold and warm', () => {
    for (const depth of ['vector', 'bare', 'service', 'mcp-stdio', 'mcp-http'])
      for (const state of ['cold', 'warm'] as const) {
        const found = select(results.measurements, 'query', {
          backend: 'hnsw',
          depth,
          state,
          clients: undefined,
        });
        expect(found.length, `${depth} ${state}`).toBeGreaterThan(0);
      }
  });

  test('backends answer in the default search mode, and each mode has its own row of quality', () => {
    const quality = (backend: string) => select(results.measurements, 'ndcg_at_10', { backend })[0]!.runs;
    expect(results.method.searchMode).toBe(defaultMode);
    expect(quality(defaultBackend)).toEqual(quality(defaultMode));
    expect(quality('vector')).not.toEqual(quality('hybrid'));
    expect(quality('keyword')).not.toEqual(quality('hybrid'));
  });

  test('no recall is beyond what the judgments allow', () => {
    const { at1, at5 } = results.corpus.recallCeiling!;
    expect(at5).toBeGreaterThan(at1);
    for (const { runs } of select(results.measurements, 'recall_at_1'))
      expect(mean(runs.flat())).toBeLessThanOrEqual(at1);
    for (const { runs } of select(results.measurements, 'recall_at_5'))
      expect(mean(runs.flat())).toBeLessThanOrEqual(at5);
  });

  test('the parts of a build add up to the whole', () => {
    const value = (metric: Parameters<typeof select>[1]) =>
      select(results.measurements, metric, { backend: 'hnsw', passages: results.corpus.passages })[0]!
        .runs[0]![0]!;
    const parts = value('build_reading') + value('build_embedding') + value('build_storing');
    expect(parts / value('build_total')).toBeCloseTo(1, 3);
    expect(value('build_embedding')).toBeGreaterThan(0);
  });

  test('a restart with nothing changed embeds nothing', () => {
    for (const metric of ['restart_embedded', 'whole_restart_embedded'] as const) {
      const found = select(results.measurements, metric);
      expect(found.length, metric).toBeGreaterThan(0);
      for (const { runs } of found) expect(runs.flat(), metric).toEqual([0]);
    }
  });

  test('many clients are measured over both transports', () => {
    for (const depth of ['mcp-stdio', 'mcp-http'])
      for (const clients of quickPlan.concurrency.clients)
        expect(select(results.measurements, 'throughput', { backend: 'hnsw', depth, clients })).toHaveLength(
          1,
        );
  });

  test('says where the time went', () => {
    const sum = results.method.steps!.reduce((total, { seconds }) => total + seconds, 0);
    expect(sum / results.method.seconds).toBeGreaterThan(0.8);
    expect(ended.stdout).toMatch(/^The run took .+ s\.$/m);
  });

  test('each mode over MCP stands against its own floor', () => {
    for (const mode of ['vector', 'hybrid'])
      for (const depth of ['bare', 'service', 'mcp-stdio'])
        expect(
          select(results.measurements, 'query', { backend: mode, depth, state: 'warm' }),
          `${mode} ${depth}`,
        ).toHaveLength(1);
  });

  test('what a ping over the same connection costs stands beside them', async () => {
    const labels = { backend: 'vector', depth: 'mcp-stdio', phase: 'alone' };
    expect(select(results.measurements, 'ping', labels)).toHaveLength(1);
    expect(await readFile(join(directory, 'report.md'), 'utf8')).toContain('ping over MCP stdio');
  });

  test('a generated folder has the passages that were asked for, and is used in every mode', () => {
    const of = (metric: Parameters<typeof select>[1]) => select(results.measurements, metric);
    expect(of('whole_total').map(({ labels }) => labels.passages)).toEqual(quickPlan.whole.sizes);
    for (const passages of quickPlan.whole.sizes)
      for (const mode of searchModeNames)
        expect(select(results.measurements, 'whole_query', { passages, mode })).toHaveLength(1);
    for (const metric of ['whole_lag', 'whole_edit', 'whole_memory', 'whole_disk_words'] as const) {
      expect(of(metric), metric).toHaveLength(quickPlan.whole.sizes.length);
      for (const { runs } of of(metric)) expect(Math.max(...runs.flat()), metric).toBeGreaterThan(0);
    }
  });

  test('the plain loop embeds what Kettle does, in the corpus and in a generated folder', () => {
    const loops = select(results.measurements, 'indexing_loop').map(({ labels }) => labels.passages);
    expect(loops).toEqual([results.corpus.passages, quickPlan.whole.loop?.size]);
    expect(results.targets.filter(({ title }) => title.startsWith('indexing'))).toHaveLength(2);
  });

  test('nothing is left out for a fault of the benchmark', () => {
    expect(results.absences.filter(({ labels }) => labels.backend !== 'chroma')).toEqual([]);
  });

  test('exact search finds every neighbour; backends agree on quality to within their recall', () => {
    for (const { runs } of select(results.measurements, 'neighbour_recall', { backend: 'exact' }))
      expect(new Set(runs.flat())).toEqual(new Set([1]));
    const quality = (backend: string) => select(results.measurements, 'ndcg_at_10', { backend })[0]!.runs;
    expect(quality('hnsw')).toEqual(quality('exact'));
  });

  test('the frontier holds the settings that backends declare', () => {
    const tried = select(results.measurements, 'neighbour_recall', { backend: 'hnsw' }).map(
      ({ labels }) => labels.settings,
    );
    expect(tried).toContain(undefined);
    for (const { name } of backends.find((backend) => backend.name === 'hnsw')!.tunables!)
      expect(
        tried.some((settings) => settings?.includes(name)),
        name,
      ).toBe(true);
  });

  test('writes reports, and compares equal to itself', async () => {
    expect(await readFile(join(directory, 'report.md'), 'utf8')).toContain('# What each backend costs');
    expect(await readFile(join(directory, 'report.html'), 'utf8')).toContain('This was a quick run');
    const compared = await bench(['--compare', directory, directory]);
    expect(compared.code).toBe(0);
    expect(compared.stdout).toMatch(/^\d+ the same, 0 with too wide a spread/m);
  });

  test('a comparison in which something got worse names it and ends with 1; the other way round with 0', async () => {
    const other = await mkdtemp(join(tmpdir(), 'kettle-worse-'));
    try {
      const worse = {
        ...results,
        measurements: results.measurements.map((measurement) =>
          measurement.metric === 'mrr_at_10' && measurement.labels.backend === 'keyword'
            ? { ...measurement, runs: measurement.runs.map((run) => run.map(() => 0)) }
            : measurement,
        ),
      };
      await writeResults(other, worse);
      const compared = await bench(['--compare', directory, other]);
      expect(compared.code).toBe(1);
      expect(compared.stdout).toMatch(/worse.*MRR@10.*keyword|keyword.*MRR@10/s);
      expect((await bench(['--compare', other, directory])).code).toBe(0);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });

  test('progress goes to stderr, results to stdout', () => {
    expect(ended.stderr).toMatch(/^bench: +\d+ % \d+ s {2}preparing the corpus/m);
    expect(ended.stdout).not.toContain('preparing the corpus');
    expect(ended.stdout).toContain('results.json');
  });
});
