import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChromaServer } from '@kettle/vector-store-chroma';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chroma } from '../../vector-store-chroma/test/support/chroma-command.js';
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

function start(backend: TestBackend, killAt = ''): ChildProcess {
  const process = fork(child, [workspace.documents, workspace.index, backend, killAt, chromaUrl], {
    stdio: 'inherit',
  });
  children.add(process);
  process.once('exit', () => children.delete(process));
  return process;
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
  const index = await openForTest({
    documents: workspace.documents,
    directory: workspace.index,
    backend,
    chromaUrl,
  });
  try {
    await index.ready();
    return await contentsOf(index, queries);
  } finally {
    await index.close();
  }
}

async function killAtRandom(backend: TestBackend, kills: number): Promise<void> {
  const seed = 20_261_130;
  const random = new Random(seed);
  const names = new Set<string>();
  for (let count = 0; count < 8; count++) await stir(random, names);
  for (let kill = 1; kill <= kills; kill++) {
    const process = start(backend);
    await once(process, 'message');
    const exit = once(process, 'exit');
    const timer = setTimeout(() => process.kill('SIGKILL'), random.below(200));
    for (let edits = random.below(4); edits > 0; edits--) await stir(random, names);
    await exit;
    clearTimeout(timer);
    expect(process.signalCode).toBe('SIGKILL');
    // The index is not repaired after each kill: damage may add up.
    if (kill % 10 === 0) {
      expect(await restarted(backend), `seed ${seed}, after kill ${kill}`).toEqual(await fresh());
    }
  }
}

describe('killed at random points, an index serves what a fresh one would', () => {
  it('with HNSW, after 100 kills', { timeout: 180_000 }, () => killAtRandom('hnsw', 100));
  it('with the exact store, after 20 kills', { timeout: 60_000 }, () => killAtRandom('exact', 20));
  it.skipIf(!chroma.available)('with Chroma, after 20 kills', { timeout: 120_000 }, async () => {
    const server = await ChromaServer.start({
      directory: join(workspace.root, 'chroma'),
      command: chroma.command,
    });
    try {
      chromaUrl = await server.url({ signal: AbortSignal.timeout(30_000) });
      await killAtRandom('chroma', 20);
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
      const process = start('hnsw', at);
      // Unless that point is not reached: then the first level state is as good a moment.
      process.on('message', (message) => message === 'level' && process.kill('SIGKILL'));
      await once(process, 'exit');
      expect(await restarted('hnsw')).toEqual(await fresh());
    });
  }
});
