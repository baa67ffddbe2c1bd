import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePassages, writeGeneratedCorpus } from '@kettle/benchmarks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const texts = Array.from(
  { length: 30 },
  (_, index) =>
    `The kettle of table ${index} is never empty for long. A heading\nIt whistles ${index + 3} times before noon. Nobody minds the noise of it, and nobody says so.`,
);
const options = { texts, size: 120, seed: 1 };

describe('made passages', () => {
  test('all differ, and consist of sentences of the real ones', () => {
    const made = makePassages(options);
    expect(new Set(made).size).toBe(120);
    for (const passage of made)
      expect(passage).toMatch(
        /^(?:(?:The kettle of table \d+ is never empty for long|It whistles \d+ times before noon|Nobody minds the noise of it, and nobody says so)\.(?: |$))+$/,
      );
  });

  test('the same seed makes the same, another one others; fewer are a beginning of more', () => {
    const made = makePassages(options);
    expect(makePassages(options)).toEqual(made);
    expect(makePassages({ ...options, size: 40 })).toEqual(made.slice(0, 40));
    expect(makePassages({ ...options, seed: 2 })).not.toEqual(made);
  });

  test('a corpus without sentences is refused, not waited for', () => {
    expect(() => makePassages({ ...options, texts: ['- a list', '| a table |'] })).toThrow(
      /too few sentences/,
    );
  });
});

describe('a generated folder', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kettle-generated-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test('has twenty passages a file and fifty files a subfolder', async () => {
    await writeGeneratedCorpus(directory, { ...options, size: 1015 });
    expect((await readdir(directory)).sort()).toEqual(['part-00000', 'part-00001']);
    expect(await readdir(join(directory, 'part-00000'))).toHaveLength(50);
    expect(await readdir(join(directory, 'part-00001'))).toEqual(['notes-00050.md']);
    const last = await readFile(join(directory, 'part-00001/notes-00050.md'), 'utf8');
    expect(last.match(/^# Entry \d+$/gm)).toHaveLength(14); // the first stands under the title
  });
});
