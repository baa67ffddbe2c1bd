import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conversation, type Outcome, runClient } from './run.js';

const cafeQuestion = { query: 'can I bring a dog', top_k: 1 };
const minutes = 60_000;

let indexDir: string;
beforeAll(async () => {
  indexDir = await mkdtemp(join(tmpdir(), 'kettle-client-'));
});
afterAll(() => rm(indexDir, { recursive: true, force: true }));

describe('the conversation with the server, started as a user starts it', () => {
  const outcomes = new Map<string, Outcome>();
  beforeAll(async () => {
    // One after the other: the second finds the index that the first has made.
    for (const name of ['raw', 'sdk'] as const) {
      outcomes.set(name, await runClient(name, [], { INDEX_DIR: indexDir, LOG_LEVEL: 'warn' }));
    }
  }, 10 * minutes);

  it.each(['raw', 'sdk'])('%s: four messages go, three replies come, and nothing else is printed', (name) => {
    const { code, stdout, stderr } = outcomes.get(name)!;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { sent, received, directions } = conversation(stdout);
    expect(directions).toBe('→←→→←→←');
    expect(sent.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ]);
    const [initialize, initialized, list, call] = sent;
    expect(received.map(({ id }) => id)).toEqual([initialize!.id, list!.id, call!.id]);
    expect(initialized).not.toHaveProperty('id');
    expect(call!.params).toMatchObject({ name: 'search', arguments: cafeQuestion });
    for (const message of [...sent, ...received]) expect(message.jsonrpc).toBe('2.0');
  });

  it('raw: sends the bytes that the README explains', () => {
    const lines = outcomes.get('raw')!.stdout.split('\n');
    expect(lines.filter((line) => line.startsWith('→'))).toEqual([
      '→ {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw-client","version":"0.1.0"}}}',
      '→ {"jsonrpc":"2.0","method":"notifications/initialized"}',
      '→ {"jsonrpc":"2.0","id":2,"method":"tools/list"}',
      '→ {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{"query":"can I bring a dog","top_k":1}}}',
    ]);
  });

  it.each(['raw', 'sdk'])('%s: the replies hold what they promise', (name) => {
    const [initialize, list, call] = conversation(outcomes.get(name)!.stdout).received.map(
      ({ result }) => result,
    );
    expect(initialize.serverInfo.name).toBe('rag-search-server');
    expect(initialize.capabilities).toHaveProperty('tools');
    if (name === 'raw') expect(initialize.protocolVersion).toBe('2025-06-18');
    expect(list.tools.map((tool: { name: string }) => tool.name)).toEqual([
      'search',
      'list_documents',
      'get_document',
    ]);
    expect(call.isError ?? false).toBe(false);
    expect(call.content[0]).toMatchObject({ type: 'text' });
    expect(call.content[0].text).toMatch(/^\[1\] source: \S+ \(distance: \d\.\d\d\)\npassage: \n./);
    expect(call.content[0].text).toMatch(/\bdogs?\b/i);
    expect(call.structuredContent.results).toHaveLength(1);
  });

  it('both get the same answer', () => {
    const answers = [...outcomes.values()].map(({ stdout }) => conversation(stdout).received.at(-1)!.result);
    expect(answers[1]).toEqual(answers[0]);
  });
});

describe('ask', () => {
  const ask = (args: string[], env: Record<string, string> = {}) =>
    runClient('ask', args, { INDEX_DIR: indexDir, ...env });

  it(
    'prints where each passage comes from, how far it is, and what it says',
    async () => {
      const { code, stdout, stderr } = await ask(['can', 'I', 'bring', 'a', 'dog', '--top-k', '2']);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const heads = stdout.split('\n').filter((line) => /^\d/.test(line));
      expect(heads).toHaveLength(2);
      expect(heads[0]).toMatch(/^1\. \S+ \(distance 0\.\d\d\)$/);
      expect(heads[1]).toMatch(/^2\. \S+ \(distance 0\.\d\d\)$/);
      expect(stdout).toMatch(/^ {3}.*\bdogs?\b/im);
    },
    10 * minutes,
  );

  it('takes the question in quotes or without, and pnpm’s own `--` too', async () => {
    const outcomes = [
      await ask(['-k', '1', 'can I bring a dog']),
      await ask(['--', 'can', 'I', 'bring', 'a', 'dog', '-k', '1']),
    ];
    for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 0 });
    expect(outcomes[1]!.stdout).toBe(outcomes[0]!.stdout);
  }, 120_000);

  it(
    'shows progress on stderr while a first index is built, and only the answer on stdout',
    async () => {
      const fresh = await mkdtemp(join(tmpdir(), 'kettle-client-'));
      try {
        await mkdir(join(fresh, 'papers'));
        await writeFile(join(fresh, 'papers', 'dogs.txt'), 'Dogs are welcome on the terrace.');
        const env = { CORPUS_DIR: join(fresh, 'papers'), INDEX_DIR: join(fresh, 'index') };
        const { code, stdout, stderr } = await ask(['dogs'], env);
        expect({ code, stderr }).toMatchObject({ code: 0 });
        expect(stdout).toMatch(/^1\. dogs\.txt /);
        expect(stderr).toContain('Loading the model');
      } finally {
        await rm(fresh, { recursive: true, force: true });
      }
    },
    10 * minutes,
  );

  it('prints its help without starting a server', async () => {
    const { code, stdout, stderr } = await ask(['--help'], { CORPUS_DIR: '/nowhere/at/all' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('--top-k N');
  });

  it.each([
    { args: [], says: 'ask something' },
    { args: ['  '], says: 'ask something' },
    { args: ['dogs', '--top-k', 'five'], says: '--top-k takes a whole number from 1 to 50, not "five"' },
    { args: ['dogs', '--top-k', '51'], says: 'not "51"' },
    { args: ['dogs', '-k', '2.5'], says: 'not "2.5"' },
    { args: ['dogs', '--colour'], says: "Unknown option '--colour'" },
  ])('exits with 2 for $args', async ({ args, says }) => {
    const { code, stdout, stderr } = await ask(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`ask: ${says}`.replace('ask: not', 'not'));
    expect(stderr).toContain('pnpm ask --help');
  });

  it('exits with 2 when a setting of the server is bad, and points at what the server said', async () => {
    const { code, stdout, stderr } = await ask(['dogs'], { CORPUS_DIR: '/nowhere/at/all' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trim().split('\n').slice(-2)).toEqual([
      expect.stringContaining('CORPUS_DIR must be a folder that can be read, not "/nowhere/at/all"'),
      'ask: the server ended; the reason is above',
    ]);
  });
});

describe('TIMEOUT_SECONDS', () => {
  const programs = ['raw', 'sdk', 'ask'] as const;
  const bad = ['abc', '0', '-1', '1e3', ' ', '2147484', 'Infinity', '5 minutes'];

  it.each(programs)('%s: a bad value ends it before anything starts', async (name) => {
    for (const TIMEOUT_SECONDS of bad) {
      const outcome = await runClient(name, ['dogs'], { TIMEOUT_SECONDS });
      expect(outcome).toEqual({
        code: 2,
        stdout: '',
        stderr: `${name}: TIMEOUT_SECONDS must be a number of seconds above 0, up to 2147483, not "${TIMEOUT_SECONDS}"\n`,
      });
    }
  });

  it('counts as unset when it is empty', async () => {
    const { stderr } = await runClient('ask', ['  '], { TIMEOUT_SECONDS: '' });
    expect(stderr).toContain('ask: ask something');
  });
});
