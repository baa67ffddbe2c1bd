import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { variableRows, variablesAsMarkdown } from '../src/config/table.js';
import { ServerProcess } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

afterAll(ServerProcess.killAll);

const packageFile = new URL('../package.json', import.meta.url);
const readmeFile = new URL('../README.md', import.meta.url);

/** What a start with these arguments and variables says before it ends. */
async function outcome(args: string[], env: Record<string, string> = {}) {
  const server = new ServerProcess(env, args);
  const { code } = await server.exit;
  return { code, stdout: server.stdout, stderr: server.stderr };
}

describe('starting the server', () => {
  it('with --version prints the version', async () => {
    const { version } = JSON.parse(readFileSync(packageFile, 'utf8'));
    expect(await outcome(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('with --help names every variable, its default and what it may be', async () => {
    const { code, stdout, stderr } = await outcome(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    for (const { name, preset, meaning } of variableRows())
      expect(stdout).toContain(`${name} (${preset})\n      ${meaning}\n`.replaceAll('`', ''));
  });

  it.each([
    ['is no JSON', { 'corpus.json': '{' }, /^kettle: CORPUS_DIR: .*corpus\.json is not valid JSON: .*\n$/],
    ['says nothing of use', { 'corpus.json': '{"name": 5}' }, /^kettle: CORPUS_DIR: "name" in .*\n$/],
    ['can not be read', { 'corpus.json/a': '' }, /^kettle: CORPUS_DIR: .*corpus\.json can't be read .*\n$/],
    ['leads nowhere', { 'corpus.json': '{"documents": "none"}' }, /^kettle: CORPUS_DIR: .*none.*\n$/],
  ])('with a corpus.json that %s ends with 2 and one line', async (_what, files, line) => {
    const result = await outcome([], { CORPUS_DIR: await tempFolder(files) });
    expect(result).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(line) });
  });

  it.each([
    [['--nonsense'], {}, /^kettle: arguments must be .*, not "--nonsense"\n$/],
    [['serve'], {}, /^kettle: arguments must be/],
    [['--help', '--version'], {}, /^kettle: arguments must be/],
    [[], { VECTOR_BACKEND: 'faiss' }, /^kettle: VECTOR_BACKEND must be one of .*, not "faiss"\n$/],
    [[], { CORPUS_DIR: '/no/such\nfolder' }, /^kettle: CORPUS_DIR must be a folder .*\n$/],
    [[], { PORT: 'x', LOG_LEVEL: 'y' }, /^kettle: PORT must be .*\n$/],
  ])('with %j and %j ends with 2 and one line', async (args, env, line) => {
    expect(await outcome(args, env)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(line) });
  });
});

it('the table in the README is the one of the schema', () => {
  expect(readFileSync(readmeFile, 'utf8')).toContain(variablesAsMarkdown());
});
