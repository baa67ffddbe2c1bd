import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { VectorStore } from '@kettle/vector-store';
import { ChromaServer } from '@kettle/vector-store-chroma';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chroma } from '../../vector-store-chroma/test/support/chroma-command.js';
import { checkLevel } from './support/check-level.mjs';
import { openForTest, type TestBackend } from './support/open-for-test.mjs';
import { Random } from './support/random.js';
import { contentsOf, Workspace } from './support/workspace.js';

const child = fileURLToPath(new URL('./support/sync-child.mjs', import.meta.url));
const queries = ['apple pear', 'kettle', 'quince and medlar with cheese'];

let workspace: Workspace;
let chromaUrl = '';
const children = new Set<ChildProcess>();
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  for (const process of children) process.kill('SIGKILL');
  await workspace.remove();
});

interface Prepared {
  readonly process: ChildProcess;
  /** Lets it begin to synchronise. Resolves when it does. */
  readonly go: () => Promise<void>;
}

/** A process that loads its code and waits. */
function prepare(backend: TestBackend, killAt = ''): Prepared {
  const process = fork(child, [workspace.documents, workspace.index, backend, killAt, chromaUrl], {
    stdio: 'inherit',
  });
  children.add(process);
  process.once('exit', () => children.delete(process));
  const loaded = once(process, 'message');
  const go = async () => {
    await loaded;
    const started = once(process, 'message');
    process.send('go');
    await started;
  };
  return { process, go };
}

/** Writes, edits, renames and deletes at random. */
async function stir(random: Random, names: Set<string>): Promise<void> {
  const existing = [...names];
  const target = random.pick(existing);
  const action = random.below(10);
  if (action < 2 && target !== undefined && names.size > 4) {
    names.delete(target);
    await rm(workspace.path(target));
  } else if (action < 4 && target !== undefined) {
    const name = `moved-${random.below(1000)}.txt`;
    names.delete(target);
    names.add(name);
    await rename(workspace.path(target), workspace.path(name));
  } else {
    const name = action < 7 && target !== undefined ? target : `file-${random.below(1000)}.txt`;
    names.add(name);
    await workspace.write(name, random.document());
  }
}

/** What an index made from nothing says of the same folder. */
async function fresh(): Promise<unknown> {
  const directory = await mkdtemp(join(tmpdir(), 'kettle-fresh-'));
  const index = await openForTest({ documents: workspace.documents, directory });
  try {
    await index.ready();
    return await contentsOf(index, queries);
  } finally {
    await index.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function restarted(backend: TestBackend): Promise<unknown> {
  let store: VectorStore | undefined;
  const index = await openForTest({
    documents: workspace.documents,
    directory: workspace.index,
    backend,
    chromaUrl,
    around: (opened) => {
      store = opened;
      return opened;
    },
  });
  try {
    await index.ready();
    await checkLevel(index, store!);
    return await contentsOf(index, queries);
  } finally {
    await index.close();
  }
}

/** Milliseconds that a process takes until it is level, on this machine as it is now. */
async function timeToLevel(backend: TestBackend): Promise<number> {
  const { process, go } = prepare(backend);
  const isLevel = new Promise<void>((resolve) => {
    process.on('message', (message) => message === 'level' && resolve());
  });
  await go();
  const started = performance.now();
  await isLevel;
  process.kill('SIGKILL');
  return performance.now() - started;
}

/** Milliseconds, however slow the machine is: the test has to end. */
const longestLife = 500;

async function killAtRandom(backend: TestBackend, kills: number): Promise<void> {
  const seed = Number(process.env.KETTLE_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const random = new Random(seed);
  const names = new Set<string>();
  for (let count = 0; count < 8; count++) await stir(random, names);
  // Some die while they open, some at work, some when all is done.
  const longest = Math.min(longestLife, 1.5 * (await timeToLevel(backend)));
  let next = prepare(backend);
  for (let kill = 1; kill <= kills; kill++) {
    const { process: victim, go } = next;
    await go();
    // The next one loads while this one works.
    if (kill < kills) next = prepare(backend);
    const exit = once(victim, 'exit');
    const timer = setTimeout(() => victim.kill('SIGKILL'), random.below(longest));
    for (let edits = random.below(4); edits > 0; edits--) await stir(random, names);
    await exit;
    clearTimeout(timer);
    expect(victim.signalCode).toBe('SIGKILL');
    // The index is not repaired after each kill: damage may add up. The killed ones themselves compare ids.
    if (kill % 5 === 0) {
      const where = `with KETTLE_TEST_SEED=${seed}, after kill ${kill}`;
      expect(await restarted(backend), where).toEqual(await fresh());
    }
  }
}

describe('killed over and over at random points, an index serves what a fresh one would', () => {
  // What differs by backend is the store. HNSW's files are usearch's in another format, and the exact store has none.
  it('100 times with HNSW', { timeout: 180_000 }, () => killAtRandom('hnsw', 100));
  it('40 times with usearch', { timeout: 180_000 }, () => killAtRandom('usearch', 40));
  it('40 times with the exact store', { timeout: 180_000 }, () => killAtRandom('exact', 40));
  it.skipIf(!chroma.available)('100 times with Chroma', { timeout: 180_000 }, async () => {
    const server = await ChromaServer.start({
      directory: join(workspace.root, 'chroma'),
      command: chroma.command,
    });
    try {
      chromaUrl = await server.url({ signal: AbortSignal.timeout(30_000) });
      await killAtRandom('chroma', 100);
    } finally {
      chromaUrl = '';
      await server.close();
    }
  });
});

describe('killed between catalog and store', () => {
  for (const at of ['upsert:1', 'upsert:2', 'delete:1', 'persist:1', 'ids:1']) {
    it(`serves what a fresh index would (at ${at})`, async () => {
      const random = new Random(7);
      const names = new Set<string>();
      for (let count = 0; count < 12; count++) await stir(random, names);
      await restarted('hnsw');
      for (let count = 0; count < 12; count++) await stir(random, names);
      await rm(workspace.path([...names][0]!));
      // More than one batch.
      const paragraphs = Array.from({ length: 150 }, (_, number) => `Paragraph ${number} `.repeat(20));
      await workspace.write('long.txt', paragraphs.join('\n\n'));
      const { process, go } = prepare('hnsw', at);
      let isMissed = false;
      process.on('message', (message) => {
        if (message !== 'level') return;
        isMissed = true;
        process.kill('SIGKILL');
      });
      const exit = once(process, 'exit');
      await go();
      await exit;
      expect(isMissed, `${at} was not reached`).toBe(false);
      expect(await restarted('hnsw')).toEqual(await fresh());
    });
  }
});
