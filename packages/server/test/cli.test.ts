import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleFiles } from './support/sample-corpus.js';
import { cleanEnv, initializeParams } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

const binFile = fileURLToPath(new URL('../bin/kettle.mjs', import.meta.url));

async function kettle(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [binFile, ...args], { env: cleanEnv({ LOG_LEVEL: '', ...env }) });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number, stdout, stderr };
}

let env: Record<string, string>;
let corpus: string;
let index: string;

beforeAll(async () => {
  corpus = await tempFolder({
    ...sampleFiles,
    'papers/photo.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]),
  });
  index = await tempFolder();
  env = { CORPUS_DIR: corpus, INDEX_DIR: index };
});

describe('kettle', () => {
  it('--help names the commands and the variables', async () => {
    const { code, stdout, stderr } = await kettle(['--help'], {});
    expect([code, stderr]).toEqual([0, '']);
    for (const word of [
      '  serve ',
      'index [--force]',
      'status [--json]',
      'doctor',
      'VECTOR_BACKEND (hnsw)',
      'LOG_LEVEL (info)',
    ])
      expect(stdout).toContain(word);
  });

  it('--version prints the version', async () => {
    expect(await kettle(['--version'], {})).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  it.each([
    [[]],
    [['serve', 'now']],
    [['serve', '--force']],
    [['index', 'now']],
    [['status', '--force']],
    [['index', '--json']],
    [['--loud']],
  ])('%j is not understood', async (args) => {
    const { code, stdout, stderr } = await kettle(args, {});
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^kettle: the arguments must be serve, index .*\n$/);
  });

  it('serve is the server', async () => {
    const child = spawn(process.execPath, [binFile, 'serve'], { env: cleanEnv(env) });
    child.stdin.end(
      `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams })}\n`,
    );
    const [answer, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect([code, JSON.parse(answer).result.serverInfo.name]).toEqual([0, 'rag-search-server']);
  });

  it('takes no bad variable', async () => {
    const { code, stderr } = await kettle(['status'], { VECTOR_BACKEND: 'faiss' });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^kettle: VECTOR_BACKEND must be .*\n$/)]);
  });
});

describe('index and status', () => {
  it('say first that nothing is indexed, then what is', async () => {
    expect((await kettle(['status'], env)).stdout).toContain('Nothing is indexed yet');

    const first = await kettle(['index'], env);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^The Test Kitchen: 5 documents, 5 passages\n/);
    expect(first.stdout).toContain('documents: 5 added, 0 changed, 0 renamed, 0 removed, 0 unchanged');
    expect(first.stdout).toMatch(/passages: 5 embedded, 0 reused, in \d+\.\d s\n/);
    expect(first.stdout).toMatch(/not indexed: 1 file\n {2}photo\.jpg: .+\n/);
    expect(first.stderr).toContain('Loading the model');

    const { code, stdout, stderr } = await kettle(['status'], env);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Xenova\/all-MiniLM-L6-v2 \(384 dimensions\), \d+\.\d kB on disk|MB on disk/);
    expect(stdout).toContain('5 documents, 5 passages, 5 distinct vectors');
    expect(stdout).toContain('hnsw: up to date, saved just now');

    const { settings, indexes } = JSON.parse((await kettle(['status', '--json'], env)).stdout);
    expect(settings).toMatchObject({
      backend: 'hnsw',
      indexDirectory: index,
      corpus: { name: 'The Test Kitchen' },
    });
    expect(indexes).toMatchObject([
      { documents: 5, passages: 5, inUse: false, stores: [{ backend: 'hnsw', level: true }] },
    ]);
  });

  it('embed nothing the second time, and with --force find what hides', async () => {
    expect((await kettle(['index'], env)).stdout).toContain('passages: 0 embedded');
    expect((await kettle(['index', '--force'], env)).stdout).toContain('5 unchanged');
  });

  it('fail with a line where they can not go on', async () => {
    const broken = {
      ...env,
      INDEX_DIR: await tempFolder(),
      EMBEDDING_MODEL: 'nobody/nothing',
      HF_ENDPOINT: 'http://127.0.0.1:9',
    };
    const { code, stdout, stderr } = await kettle(['index'], broken);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/\nkettle: .*nobody\/nothing.*\n$/);
    // As a sentence, and not as a line of the log too.
    expect(stderr).not.toContain('"level"');
  });
});

describe('a file where the index belongs', () => {
  it.each([[['index']], [['serve']]])('ends %j with one line', async (args) => {
    const file = join(corpus, 'corpus.json');
    for (const INDEX_DIR of [file, join(file, 'below')]) {
      const says = `INDEX_DIR must be a folder that can be written, not ${JSON.stringify(INDEX_DIR)}: ${file} is no folder`;
      expect(await kettle(args, { ...env, INDEX_DIR })).toEqual({
        code: 2,
        stdout: '',
        stderr: `kettle: ${says}\n`,
      });
    }
  });
});

describe('doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    const { code, stdout } = await kettle(['doctor'], { ...env, INDEX_DIR: join(await tempFolder(), 'new') });
    expect(stdout).not.toContain('WRONG');
    for (const name of ['node', 'sqlite', 'corpus', 'index folder', 'indexes', 'model', 'backend hnsw'])
      expect(stdout).toContain(`ok    ${name}: `);
    expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, 'Everything works.']);
  });

  it.each([
    ['an empty corpus', 'corpus', async () => ({ CORPUS_DIR: await tempFolder() })],
    [
      'a corpus of folders only',
      'corpus',
      async () => {
        const folder = await tempFolder();
        await mkdir(join(folder, 'a', 'b'), { recursive: true });
        return { CORPUS_DIR: folder };
      },
    ],
    [
      'a model that is not there',
      'model',
      async () => ({ EMBEDDING_MODEL: 'nobody/nothing', HF_ENDPOINT: 'http://127.0.0.1:9' }),
    ],
    [
      'a backend that is down',
      'backend chroma',
      async () => ({ VECTOR_BACKEND: 'chroma', CHROMA_URL: 'http://127.0.0.1:9' }),
    ],
    [
      'a Chroma that can not start',
      'backend chroma',
      async () => ({ VECTOR_BACKEND: 'chroma', CHROMA_COMMAND: '/no/such/command' }),
    ],
    [
      "another corpus's index",
      'indexes',
      async () => {
        const INDEX_DIR = await tempFolder();
        const others = { CORPUS_DIR: await tempFolder({ 'b.txt': 'Beta.' }), INDEX_DIR };
        expect((await kettle(['index'], others)).code).toBe(0);
        return { CORPUS_DIR: await tempFolder({ 'a.txt': 'Alpha.' }), INDEX_DIR };
      },
    ],
    [
      'a damaged catalog',
      'indexes',
      async () => ({ INDEX_DIR: await tempFolder({ 'model-1/catalog.sqlite': 'x'.repeat(5000) }) }),
    ],
    [
      'an index folder that is a file',
      'index folder',
      async () => ({ INDEX_DIR: join(corpus, 'corpus.json', 'index') }),
    ],
  ])('finds %s, and says what to do', async (_name, what, settings) => {
    const { code, stdout } = await kettle(['doctor'], {
      CORPUS_DIR: corpus,
      INDEX_DIR: await tempFolder(),
      ...(await settings()),
    });
    expect(code).toBe(1);
    // A checkout has a script for systems on which Chroma's binary can't run.
    if (what === 'backend chroma') expect(stdout).toContain('scripts/chroma-debian12.sh');
    const lines = stdout.split('\n');
    const at = lines.findIndex((line) => line.startsWith(`WRONG ${what}: `));
    expect(at, stdout).toBeGreaterThanOrEqual(0);
    expect(lines[at + 1]).toMatch(/^ {6}\S/);
  });

  it('says what it could not try, and does not call it good', async () => {
    const { stdout } = await kettle(['doctor'], {
      CORPUS_DIR: await tempFolder(),
      INDEX_DIR: await tempFolder(),
    });
    expect(stdout).toContain('skip  backend hnsw: it needs the corpus and the model');
    expect(stdout).not.toContain('ok    backend');
  });

  it.each([{ CORPUS_DIR: '/no/such/folder' }, { VECTOR_BACKEND: 'faiss' }])(
    'ends with a line for %j, and asks to be run again',
    async (bad) => {
      const { code, stdout, stderr } = await kettle(['doctor'], { ...env, ...bad });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^kettle: [A-Z_]+ must be .* run doctor again after changing it\.\n$/);
    },
  );
});
