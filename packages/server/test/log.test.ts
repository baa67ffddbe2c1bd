import { afterAll, expect, it } from 'vitest';
import { logThresholds } from '../src/log.js';
import { sampleFiles } from './support/sample-corpus.js';
import { ServerProcess } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

afterAll(ServerProcess.killAll);

async function logOf(
  LOG_LEVEL: string,
  files: Readonly<Record<string, string>> = sampleFiles,
): Promise<{ level: number; msg: string }[]> {
  const server = new ServerProcess({
    CORPUS_DIR: await tempFolder(files),
    INDEX_DIR: await tempFolder(),
    LOG_LEVEL,
  });
  await server.initialize();
  await server.ask('tools/call', { name: 'search', arguments: { query: 'tea' } });
  expect(await server.end()).toBe(0);
  expect(server.impure).toEqual([]);
  return server.stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

it('goes to stderr as lines of JSON, from the level on that is wanted', async () => {
  const lines = await logOf('info');
  expect(lines.map(({ msg }) => msg)).toContain('opening the index of The Test Kitchen');
  expect(lines.every(({ level }) => level >= 30)).toBe(true);
});

it('is empty when nothing goes wrong and nothing else is wanted', async () => {
  expect(await logOf('warn')).toEqual([]);
});

it('says what was found, once it is searchable, and warns where nothing can be', async () => {
  const full = await logOf('info', { 'a.txt': 'Tea.', 'b.md': 'Milk.', 'scan.pdf': '%PDF' });
  expect(full.at(-1)).toMatchObject({
    level: 30,
    msg: 'the index is up to date: 2 documents, 2 passages; 1 file left out, `kettle index` says why',
  });
  expect(await logOf('warn', { 'scan.pdf': '%PDF' })).toMatchObject([
    {
      level: 40,
      msg: expect.stringMatching(/^there is no text, Markdown or PDF file to search in .*; 1 file left out/),
    },
  ]);
});

it('knows the levels of pino, from the most to the least talkative', () => {
  expect(logThresholds).toEqual(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
});
