import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultBackend, defaultMode, mean, type Results, readResults, select } from '@kettle/benchmarks';
import { readConfig } from '@kettle/server';
import { backends } from '@kettle/server/backends';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const minutes = 60_000;

/** Of somebody whose own server is set up otherwise: none of it may touch the measurements. */
const env = {
  ...process.env,
  SEARCH_MODE: 'keyword',
  EMBEDDING_MODEL: 'no/such-model',
  MCP_AUTH_TOKEN: 'a-secret',
};

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function bench(...args: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

// One real run for all of these: real model, real stores, real servers.
describe('pnpm bench --quick', () => {
  let directory: string;
  let ended: Ended;
  let results: Results;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kettle-quick-'));
    ended = await bench('--quick', '--out', directory);
    expect(ended.stderr).not.toMatch(/Error/);
    expect(ended.code).toBe(0);
    results = await readResults(directory);
  }, 15 * minutes);
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test('measures every backend of the registry, and says why where it could not', () => {
    for (const { name } of backends) {
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
    for (const { runs } of select(results.measurements, 'restart_embedded')) expect(runs.flat()).toEqual([0]);
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
    const compared = await bench('--compare', directory, directory);
    expect(compared.code).toBe(0);
    expect(compared.stdout).toMatch(/^\d+ the same, 0 with too wide a spread/m);
  });

  test('progress goes to stderr, results to stdout', () => {
    expect(ended.stderr).toMatch(/^bench: +\d+ % \d+ s {2}preparing the corpus/m);
    expect(ended.stdout).not.toContain('preparing');
    expect(ended.stdout).toContain('results.json');
  });
});

test('what it takes for the defaults are the defaults of the server', () => {
  const { backend, searchMode } = readConfig({});
  expect({ backend, searchMode }).toEqual({ backend: defaultBackend, searchMode: defaultMode });
});

test('wrong usage ends with 2 and one line', async () => {
  const { code, stderr } = await bench('--fast');
  expect(code).toBe(2);
  expect(stderr).toMatch(/^bench: Unknown option '--fast'\n$/);
});

test('a results file that is none ends with 1 and one line', async () => {
  const { code, stderr } = await bench('--compare', main, main);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^bench: .*can't be read as results.*\n$/);
});
