import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  defaultPlan,
  durationSentence,
  htmlReport,
  keyOf,
  markdownReport,
  mergeRepetitions,
  metrics,
  quickPlan,
  type Results,
  ResultsError,
  readResults,
  schemaProblem,
  terminalReport,
  thoroughPlan,
  withFigures,
  writeResults,
} from '@kettle/benchmarks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { madeUpResults } from './made-up-results.js';

const results = madeUpResults();
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kettle-report-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** As if one more backend had been registered: the measurements of hnsw under another name too. */
function withAnotherBackend(name: string): Results {
  const copied = results.measurements
    .filter(({ labels }) => labels.backend === 'hnsw')
    .map((measurement) => ({ ...measurement, labels: { ...measurement.labels, backend: name } }));
  return {
    ...results,
    contenders: [...results.contenders, { name, summary: '', kind: 'backend' }],
    measurements: [...results.measurements, ...copied],
  };
}

describe('where the time went', () => {
  const sentence =
    'The run took 4:40 min: asking stores 2:05 min, building indexes 1:10 min, whole folders 5 s.';

  test('the longest part comes first, and every report says it', () => {
    expect(durationSentence(results.method)).toBe(sentence);
    for (const report of [terminalReport(results), markdownReport(results), htmlReport(results)])
      expect(report).toContain(sentence);
  });

  test('a run from before steps were recorded has nothing to say, and is read all the same', async () => {
    const { steps: _, ...method } = results.method;
    expect(durationSentence(method)).toBeUndefined();
    expect(await schemaProblem({ ...results, method })).toBeUndefined();
  });
});

describe('results.json', () => {
  test('follows its schema and comes back as it was written', async () => {
    await writeResults(directory, results);
    const read = await readResults(directory);
    expect(read.corpus).toEqual(results.corpus);
    expect(read.measurements.map(keyOf)).toEqual(results.measurements.map(keyOf));
    expect(read.measurements[0]!.runs[0]![0]).toBeCloseTo(results.measurements[0]!.runs[0]![0]!, 5);
    expect(await readResults(join(directory, 'results.json'))).toEqual(read);
  });

  test.each([defaultPlan, quickPlan, thoroughPlan])('may come from the plan $name', async ({ name }) => {
    expect(await schemaProblem({ ...results, method: { ...results.method, plan: name } })).toBeUndefined();
  });

  test('that their schema refuses are kept all the same', async () => {
    const refused = { ...results, method: { ...results.method, plan: 'luck' } } as unknown as Results;
    const place = join(directory, 'refused');
    await expect(writeResults(place, refused)).rejects.toThrow(
      /plan .*They are kept in .*results-refused\.json/,
    );
    const kept = JSON.parse(await readFile(join(place, 'results-refused.json'), 'utf8'));
    expect(kept.measurements).toHaveLength(results.measurements.length);
    await expect(readResults(place)).rejects.toThrow(ResultsError);
  });

  test('the schema knows every metric', async () => {
    const schema = JSON.parse(await readFile(new URL('../results.schema.json', import.meta.url), 'utf8'));
    expect(schema.properties.measurements.items.properties.metric.enum).toEqual(Object.keys(metrics));
  });

  test.each<[string, object]>([
    ['an unknown metric', { measurements: [{ metric: 'luck', labels: {}, runs: [[1]] }] }],
    ['an unknown label', { measurements: [{ metric: 'query', labels: { moon: 'full' }, runs: [[1]] }] }],
    ['a measurement without samples', { measurements: [{ metric: 'query', labels: {}, runs: [] }] }],
    ['another version', { schemaVersion: 2 }],
    ['a missing part', { method: undefined }],
    ['an extra part', { more: true }],
  ])('%s breaks the schema', async (_, change) => {
    expect(await schemaProblem(JSON.parse(JSON.stringify({ ...results, ...change })))).toBeTypeOf('string');
  });

  test.each([
    ['nothing there', undefined, /can't be read as results/],
    ['no JSON', 'hello', /can't be read as results/],
    ['other JSON', '{}', /doesn't follow results\.schema\.json/],
  ])('refuses %s', async (name, text, message) => {
    const file = join(directory, `${name}.json`);
    if (text !== undefined) await writeFile(file, text);
    const reading = readResults(file);
    await expect(reading).rejects.toThrow(ResultsError);
    await expect(reading).rejects.toThrow(message);
  });

  test('repetitions of one thing come together, whatever the order of their labels', () => {
    const merged = mergeRepetitions([
      { metric: 'query', labels: { backend: 'a', depth: 'bare' }, runs: [[1]] },
      { metric: 'query', labels: { backend: 'b', depth: 'bare' }, runs: [[2]] },
      { metric: 'query', labels: { depth: 'bare', backend: 'a' }, runs: [[3, 4]] },
    ]);
    expect(merged.map(({ runs }) => runs)).toEqual([[[1], [3, 4]], [[2]]]);
  });

  test('with their rounds, where all of them say theirs', () => {
    const one = (value: number, round?: number) => ({
      metric: 'query' as const,
      labels: {},
      runs: [[value]],
      ...(round !== undefined && { rounds: [round] }),
    });
    expect(mergeRepetitions([one(1, 0), one(2, 2)])[0]!.rounds).toEqual([0, 2]);
    expect(mergeRepetitions([one(1, 0), one(2)])[0]!.rounds).toBeUndefined();
  });

  test('rounds follow the schema', async () => {
    const measurements = [{ ...results.measurements[0]!, rounds: [0, 1, 2] }];
    expect(await schemaProblem({ ...results, measurements })).toBeUndefined();
  });
});

describe('reports', () => {
  const reports: [string, (results: Results) => string][] = [
    ['terminal', (some) => terminalReport(some, 120)],
    ['Markdown', markdownReport],
    ['HTML', htmlReport],
  ];

  test.each(reports)('%s says what was found, what was missed, and what was not measured', (_, write) => {
    const text = write(results);
    for (const { name } of results.contenders) expect(text).toContain(name);
    expect(text).toContain('recall@5');
    expect(text).toContain('hnsw is quicker than ');
    expect(text).toMatch(/of a reason/);
  });

  test.each(reports)('a new backend appears in %s by being registered', (_, write) => {
    const [without, with_] = [write(results), write(withAnotherBackend('newcomer'))];
    const count = (text: string, name: string) => text.split(name).length - 1;
    expect(count(without, 'newcomer')).toBe(0);
    expect(count(with_, 'newcomer')).toBeGreaterThanOrEqual(6);
  });

  test('a new backend appears in every table and plot that shows hnsw', () => {
    const sectionsWith = (html: string, name: string) =>
      html
        .split('<section ')
        .slice(1)
        .filter((section) => new RegExp(`>[^<]*\\b${name}\\b`).test(section))
        .map((section) => /id="([^"]+)"/.exec(section)?.[1]);
    const html = htmlReport(withAnotherBackend('newcomer'));
    // Targets, starts and indexing are about the default backend.
    const all = sectionsWith(html, 'hnsw').filter((id) => id !== 'targets' && id !== 'indexing');
    expect(sectionsWith(html, 'newcomer')).toEqual(all);
    expect(all.length).toBeGreaterThanOrEqual(7);
  });

  test('stores that were filled with another setting have hollow marks, whatever the setting is called', () => {
    const marks = (settings: string) =>
      [...htmlReport(results).matchAll(/(<path[^>]*>)<title>[^<,]*, ([^<:]*): [\d.]+<\/title>/g)]
        .filter(([, , of]) => of === settings)
        .map(([, path]) => ({ filled: / fill="/.test(path!), outlined: / stroke="/.test(path!) }));
    const [hollow, filled] = [marks('nlist 8, ef_search 10'), marks('ef_search 10')];
    expect(hollow.length).toBeGreaterThan(0);
    expect(filled.length).toBeGreaterThan(0);
    expect(hollow).toEqual(hollow.map(() => ({ filled: false, outlined: true })));
    expect(marks('nlist 8').length).toBe(hollow.length);
    expect(filled).toEqual(filled.map(() => ({ filled: true, outlined: false })));
  });

  test('baselines tell questions without an answer by their score', () => {
    expect(markdownReport(results)).toMatch(/^\| bm25 \| 1\.000 \([^|]+\) \| score 5\.\d\d \| 100 % /m);
  });

  test('a run with next to nothing in it still gives a report', () => {
    const bare: Results = {
      ...results,
      measurements: [],
      targets: [],
      contenders: results.contenders.slice(0, 1),
    };
    for (const [, write] of reports) expect(write(bare)).toContain('exact');
  });

  test('the page asks for nothing from elsewhere and escapes what it is given', () => {
    const html = htmlReport(results);
    expect(html).not.toMatch(/<script|<link rel="stylesheet"|src="|@import|url\(/);
    expect(html).toContain('The Wandering Kettle &lt;a cafe&gt;');
    expect(html).toContain('an &lt;example&gt; of a reason');
    expect(html).not.toContain('NaN');
  });

  test('every plot has a description, and its figures as a table', () => {
    const html = htmlReport(results);
    const pictures = html.match(/<svg[^>]*role="img"[^>]*>/g) ?? [];
    expect(pictures.length).toBeGreaterThanOrEqual(16);
    for (const picture of pictures) expect(picture).toMatch(/aria-label="[^"]{5,}"/);
    for (const section of html.split('<section ').slice(1))
      if (section.includes('<figure')) expect(section).toContain('<details>');
  });
});

describe('figures of the README', () => {
  const readme = '# Kettle\n\n<!-- bench:start -->\nold\n<!-- bench:end -->\n\nMore.\n';

  test('stand between the markers, and nothing else changes', () => {
    const text = withFigures(readme, results);
    expect(text).toMatch(
      /^# Kettle\n\n<!-- bench:start -->\n(?:All|Backends) [^|]*nDCG[^|]*\n\n\| search \|/,
    );
    expect(text).toMatch(/<!-- bench:end -->\n\nMore\.\n$/);
    expect(text).not.toContain('old');
    expect(text).toContain('commit 0123456789');
    expect(withFigures(text, results)).toBe(text);
  });

  test('need the markers', () => {
    expect(() => withFigures('# Kettle', results)).toThrow(/bench:start/);
  });
});
