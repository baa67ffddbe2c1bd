import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { htmlReport, markdownReport, readSoak, type Soak } from '@kettle/benchmarks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { madeUpResults } from './made-up-results.js';

const soak: Soak = {
  kind: 'soak',
  version: 1,
  date: '2026-12-01T02:00:00.000Z',
  commit: '0123456789',
  machine: { cpu: 'Imaginary CPU', cores: 2 },
  settings: { clients: 100, minutes: 3, backend: 'hnsw', model: 'made-up' },
  sessions: 1234,
  sessionsLeft: 0,
  requests: [
    { kind: 'search', count: 20_000, p50: 110, p95: 280, p99: 340 },
    { kind: 'all', count: 25_000, p50: 90, p95: 270, p99: 330 },
  ],
  perSecond: 138.9,
  errors: { count: 2, kinds: [{ message: 'a <strange> one', count: 2 }] },
  rss: [
    { seconds: 0, bytes: 200 * 2 ** 20 },
    { seconds: 90, bytes: 260 * 2 ** 20 },
    { seconds: 180, bytes: 240 * 2 ** 20 },
  ],
  rssSlope: -(2 ** 20),
  exitCode: 0,
};

const results = madeUpResults();

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kettle-soak-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('the figures of a soak test', () => {
  test('are a section of both reports, and none without them', () => {
    const markdown = markdownReport(results, soak);
    expect(markdown).toContain('100 clients on one HTTP server for 3 minutes (hnsw): 1\u202f234 sessions');
    expect(markdown).toContain('| search | 20\u202f000 | 110 ms | 280 ms | 340 ms |');
    expect(markdown).toContain(
      'went from 200 MiB to 240 MiB, at most 260 MiB; in the second half it shrank by 1 MiB a minute',
    );
    expect(markdown).toContain('Failed: 2 requests failed.');
    expect(markdown).toContain('a &lt;strange> one');
    expect(htmlReport(results, soak)).toContain(
      'aria-label="Memory of the server, in the course of the test."',
    );
    expect(markdownReport(results)).not.toContain('one HTTP server');
  });

  test('say whether the test passed, and what went wrong where it did not', () => {
    const clean: Soak = { ...soak, errors: { count: 0, kinds: [] } };
    const text = (changes: Partial<Soak>) =>
      markdownReport({ ...results, measurements: [] }, { ...clean, ...changes });
    expect(text({})).toContain('No request failed, no session was left over, and the server ended cleanly.');
    expect(text({})).not.toContain('Passed:');
    expect(text({ passed: true })).toContain('Passed: no request failed');
    expect(text({ passed: true })).toContain('Memory was not growing at the end');
    expect(text({ passed: true, rssSlope: 90 * 2 ** 20 })).toContain('Memory was still growing at the end');
    for (const [changes, why] of [
      [{ sessionsLeft: 3 }, 'Failed: the server kept 3 sessions that had ended.'],
      [{ exitCode: 1 }, 'Failed: the server ended with 1.'],
      [{ exitCode: null }, 'Failed: the server did not end by itself.'],
      [{ sessionsLeft: 1, passed: true }, 'Failed: the server kept'],
      [{ passed: false, reasons: ['It grew.'] }, 'Failed: It grew.'],
      [{ passed: false }, 'Failed, by the test’s own rules.'],
    ] as const) {
      expect(text(changes)).toContain(why);
      expect(text(changes)).not.toContain('Passed:');
    }
  });

  test('are read as they were written; another file is named with what is wrong', async () => {
    const file = join(directory, 'soak.json');
    await writeFile(file, JSON.stringify(soak));
    expect(await readSoak(file)).toEqual(soak);
    await writeFile(file, JSON.stringify({ ...soak, perSecond: 'many' }));
    await expect(readSoak(file)).rejects.toThrow(
      /soak\.json is not what the soak test writes: .*perSecond must be number/,
    );
    for (const key of ['sessionsLeft', 'rssSlope', 'exitCode']) {
      await writeFile(file, JSON.stringify({ ...soak, [key]: undefined }));
      await expect(readSoak(file), key).rejects.toThrow(`must have required property '${key}'`);
    }
    await expect(readSoak(join(directory, 'none.json'))).rejects.toThrow(
      /none\.json can't be read as a soak test/,
    );
  });

  test('have the shape that the soak test documents', async () => {
    const script = await readFile(new URL('../../packages/server/scripts/soak.mjs', import.meta.url), 'utf8');
    for (const key of Object.keys(soak)) expect(script).toContain(`//   ${key}`);
  });
});
