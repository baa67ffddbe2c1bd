import { afterAll, expect, it } from 'vitest';
import { logThresholds } from '../src/log.js';
import { sampleFiles } from './support/sample-corpus.js';
import { ServerProcess } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

afterAll(ServerProcess.killAll);

async function logOf(LOG_LEVEL: string): Promise<{ level: number; msg: string }[]> {
  const server = new ServerProcess({
    CORPUS_DIR: await tempFolder(sampleFiles),
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

it('knows the levels of pino, from the most to the least talkative', () => {
  expect(logThresholds).toEqual(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
});
