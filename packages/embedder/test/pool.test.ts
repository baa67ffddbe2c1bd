import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Embedder, type LoadEmbedderOptions, loadEmbedder } from '@kettle/embedder';
import { modelsDirectory } from '@kettle/model-minilm';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

const modelDirs = [modelsDirectory];
/** Of very different lengths, so that a vector in another's place would be seen. */
const texts = Array.from({ length: 150 }, (_, index) =>
  `${index} cups of tea. `.repeat(1 + ((index * 7) % 10)),
);
const tooLong = 'tea '.repeat(300);

/** What one thread makes of the texts. */
let alone: Embedder;
let expected: Float32Array[];
const opened: Embedder[] = [];

beforeAll(async () => {
  alone = await loadEmbedder({ modelDirs, processes: 1 });
  expected = await alone.embedDocuments(texts);
});

afterAll(() => alone.close());

afterEach(async () => {
  for (const embedder of opened.splice(0)) await embedder.close();
});

async function load(options: LoadEmbedderOptions = {}) {
  const pids: number[] = [];
  const warnings: string[] = [];
  const log: LoadEmbedderOptions['log'] = (level, message, data) => {
    if (level === 'warn') warnings.push(message);
    else pids.push(data?.pid as number);
  };
  const embedder = await loadEmbedder({ modelDirs, processes: 2, log, ...options });
  opened.push(embedder);
  return { embedder, pids, warnings };
}

/** An embedder whose two processes are at work. */
async function loadWithProcesses() {
  const loaded = await load();
  expect(await loaded.embedder.embedDocuments(texts)).toEqual(expected);
  await until(() => loaded.pids.length === 2);
  return loaded;
}

function until(condition: () => boolean): Promise<void> {
  return vi.waitFor(() => expect(condition()).toBe(true), { timeout: 30_000, interval: 20 });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('many documents', () => {
  test('get the same vectors bit for bit from one thread and from several processes', async () => {
    const { embedder, pids, warnings } = await loadWithProcesses();
    expect(await embedder.embedDocuments(texts)).toEqual(expected);
    const parts = [texts.slice(0, 1), texts.slice(1, 50), texts.slice(50, 52), texts.slice(52)];
    const vectors = await Promise.all(parts.map((part) => embedder.embedDocuments(part)));
    expect(vectors.flat()).toEqual(expected);
    // Each owns its memory: a vector that is kept must not keep a whole message.
    expect(vectors.flat().every((vector) => vector.buffer.byteLength === vector.byteLength)).toBe(true);
    expect(await embedder.embedQuery(texts[7]!)).toEqual(expected[7]);
    expect(pids.length).toBe(2);
    expect(warnings).toEqual([]);
  });

  test('need no processes while they are few, nor where none are wanted', async () => {
    const few = await load();
    expect(await few.embedder.embedDocuments(texts.slice(0, 20))).toEqual(expected.slice(0, 20));
    const none = await load({ processes: 1 });
    expect(await none.embedder.embedDocuments(texts)).toEqual(expected);
    expect([...few.pids, ...none.pids]).toEqual([]);
  });

  test.each([[1], [2]])(
    'with texts too long among them fail with the first, in %i processes',
    async (processes) => {
      const { embedder } = processes === 2 ? await loadWithProcesses() : await load({ processes });
      const bad = texts.map((text, index) => (index === 101 || index === 106 ? tooLong : text));
      await expect(embedder.embedDocuments(bad)).rejects.toMatchObject({
        code: 'text_too_long',
        details: { index: 101, tokens: 300, limit: 254 },
        message: expect.stringMatching(/text 101 of 150 /),
      });
      expect(await embedder.embedDocuments(texts)).toEqual(expected);
    },
  );

  test('end when they are aborted, and leave room for the next', async () => {
    const { embedder, pids } = await loadWithProcesses();
    const abort = new AbortController();
    const call = embedder.embedDocuments(texts, { signal: abort.signal });
    const other = embedder.embedDocuments(texts);
    abort.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(await other).toEqual(expected);
    expect(pids.every(isAlive)).toBe(true);
  });

  test('are given up when the embedder is closed, and the processes end', async () => {
    const { embedder, pids, warnings } = await loadWithProcesses();
    const call = embedder.embedDocuments(texts);
    await embedder.close();
    await expect(call).rejects.toMatchObject({ code: 'closed' });
    await until(() => !pids.some(isAlive));
    expect(warnings).toEqual([]);
  });
});

describe('a process that dies', () => {
  test.each([[1], [2]])('leaves no text undone (%i of 2 die)', async (count) => {
    const { embedder, pids, warnings } = await loadWithProcesses();
    const call = embedder.embedDocuments([...texts, ...texts]);
    for (const pid of pids.slice(0, count)) process.kill(pid, 'SIGKILL');
    expect(await call).toEqual([...expected, ...expected]);
    await until(() => warnings.length === count);
    expect(warnings[0]).toContain('SIGKILL');
  });

  test('while it works is replaced', async () => {
    const { embedder, pids } = await loadWithProcesses();
    process.kill(pids[0]!, 'SIGKILL');
    await until(() => !isAlive(pids[0]!));
    expect(await embedder.embedDocuments(texts)).toEqual(expected);
    await until(() => pids.length === 3);
  });

  test('or can never be started is done without', async () => {
    const { execPath } = process;
    process.execPath = '/nowhere/node';
    try {
      const { embedder, warnings } = await load();
      expect(await embedder.embedDocuments(texts)).toEqual(expected);
      expect(await embedder.embedDocuments(texts)).toEqual(expected);
      expect(warnings[0]).toContain('ENOENT');
      expect(warnings.length).toBeLessThan(6);
    } finally {
      process.execPath = execPath;
    }
  });
});

describe('the process that started them', () => {
  /** Runs a script that prints the pid of each process that is ready. */
  function run(script: string) {
    const source = `
      import { loadEmbedder } from '@kettle/embedder';
      const log = (level, message, { pid }) => console.log(pid);
      const embedder = await loadEmbedder({ modelDirs: [process.argv[1]], processes: 2, log });
      const texts = Array.from({ length: 200 }, (_, index) => index + ' cups of tea'.repeat(8));
      ${script}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source, modelsDirectory], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const pids: number[] = [];
    createInterface(child.stdout).on('line', (line) => pids.push(Number(line)));
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    return { child, pids, exit: once(child, 'exit'), stderr: () => stderr };
  }

  test('may be killed: none is left behind', async () => {
    const { child, pids, exit } = run('for (;;) await embedder.embedDocuments(texts);');
    await until(() => pids.length === 2);
    expect(pids.every(isAlive)).toBe(true);
    child.kill('SIGKILL');
    await exit;
    await until(() => !pids.some(isAlive));
  });

  test('may exit in the middle: none is left behind', async () => {
    const { pids, exit, stderr } = run(`
      setInterval(() => embedder.embedDocuments(texts).catch(() => {}), 100);
      const ready = console.log;
      let count = 0;
      console.log = (pid) => { ready(pid); if (++count === 2) setImmediate(() => process.exit(0)); };`);
    expect(await exit).toEqual([0, null]);
    expect(stderr()).toBe('');
    await until(() => pids.length === 2 && !pids.some(isAlive));
  });

  test('ends by itself while they are idle, and they with it', async () => {
    const { pids, exit, stderr } = run('while ((await embedder.embedDocuments(texts)).length < 200);');
    expect(await exit).toEqual([0, null]);
    expect(stderr()).toBe('');
    await until(() => !pids.some(isAlive));
  });
});
