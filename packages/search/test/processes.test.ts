import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspectIndexes } from '@kettle/search';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { openForTest } from './support/open-for-test.mjs';
import { until } from './support/until.js';
import { contentsOf, Workspace } from './support/workspace.js';

const child = fileURLToPath(new URL('./support/sync-child.mjs', import.meta.url));

let workspace: Workspace;
let writer: ChildProcess | undefined;
beforeEach(async () => {
  workspace = await Workspace.create();
  await workspace.write('tea.txt', 'Tea with milk.');
});
afterEach(async () => {
  writer?.kill('SIGKILL');
  await workspace.remove();
});

/** A process that writes the index, for ever. Resolves once it is level. */
async function startWriter(): Promise<ChildProcess> {
  const started = fork(child, [workspace.documents, workspace.index, 'hnsw'], { stdio: 'inherit' });
  writer = started;
  for (;;) {
    const [message] = await once(started, 'message');
    if (message === 'loaded') started.send('go');
    if (message === 'level') return started;
  }
}

describe('two processes on one index', () => {
  it('one writes, the other sees its changes and takes over when it dies', async () => {
    const other = await startWriter();
    const embedder = new FakeEmbedder();
    const follower = await workspace.openReady({ embedder, watch: true });
    expect(follower.status()).toMatchObject({ role: 'follower', documents: 1, phase: 'ready' });
    expect(await follower.search('milk')).toHaveLength(1);

    const changes: unknown[] = [];
    follower.onChange((change) => changes.push(change));
    await workspace.write('cats.txt', 'Cats are on the roof.');
    await until(
      follower,
      async () => (await follower.search('roof', { topK: 1 }))[0]?.document === 'cats.txt',
    );
    // Words are found in the catalog before the store has followed.
    await until(follower, () => changes.length > 0);
    await rm(workspace.path('tea.txt'));
    await until(follower, async () =>
      (await follower.search('milk')).every((hit) => hit.document !== 'tea.txt'),
    );
    expect(embedder.embedded).toEqual([]);
    expect(changes).toContainEqual({ added: ['cats.txt'], changed: [], removed: [] });
    expect((await inspectIndexes(workspace.index))[0]).toMatchObject({ inUse: true, documents: 1 });

    other.kill('SIGKILL');
    await workspace.write('dogs.txt', 'Dogs are on the terrace.');
    await until(
      follower,
      async () => (await follower.search('terrace', { topK: 1 }))[0]?.document === 'dogs.txt',
    );
    expect(follower.status().role).toBe('writer');
    expect(embedder.embedded).toEqual(['Dogs are on the terrace.']);
  });

  it('waits for the first synchronisation of the other one', async () => {
    const open = () => openForTest({ documents: workspace.documents, directory: workspace.index, delay: 20 });
    const [first, second] = await Promise.all([open(), open()]);
    const found = await Promise.all([first.search('milk'), second.search('milk')]);
    expect(found[0]).toHaveLength(1);
    expect(found[1]).toEqual(found[0]);
    expect([first.status().role, second.status().role].sort()).toEqual(['follower', 'writer']);
    expect(await contentsOf(second, ['tea'])).toEqual(await contentsOf(first, ['tea']));
    await Promise.all([first.close(), second.close()]);
  });

  it('does not lead with a catalog that the other one has replaced', async () => {
    const first = await workspace.openReady();
    const second = await workspace.openReady();
    expect(second.status().role).toBe('follower');
    const catalog = join(first.status().directory!, 'catalog.sqlite');
    await first.close();
    // Before the other one looks again.
    for (const suffix of ['', '-wal', '-shm'])
      if (existsSync(catalog + suffix)) renameSync(catalog + suffix, `${catalog}.damaged${suffix}`);
    await second.sync();
    await until(second, () => second.status().role === 'writer');
    expect(await second.search('milk')).toHaveLength(1);
    expect((await inspectIndexes(workspace.index))[0]).toMatchObject({ documents: 1, inUse: true });
  });

  it('leaves no lock behind, and copes with a lock file that is rubbish', async () => {
    const first = await workspace.openReady();
    const { directory } = first.status();
    await first.close();
    await writeFile(`${directory}/writer-lock.sqlite`, 'rubbish '.repeat(1000));
    const second = await workspace.openReady();
    const third = await workspace.openReady();
    expect([second.status().role, third.status().role]).toEqual(['writer', 'follower']);
  });
});

describe('several processes', () => {
  it('that start at the same moment all get level, and one of them writes', async () => {
    const started = Array.from({ length: 4 }, () =>
      fork(child, [workspace.documents, workspace.index, 'hnsw']),
    );
    try {
      await Promise.all(started.map((process) => once(process, 'message')));
      const level = started.map(async (process) => {
        for (;;) if ((await once(process, 'message'))[0] === 'level') return;
      });
      for (const process of started) process.send('go');
      await Promise.all(level);
      const index = await workspace.openReady();
      expect(index.status()).toMatchObject({ role: 'follower', documents: 1 });
      expect(await index.search('milk')).toHaveLength(1);
    } finally {
      for (const process of started) process.kill('SIGKILL');
    }
  });

  it.skipIf(process.platform === 'win32')('are answered while the writer is stopped', async () => {
    const stopped = await startWriter();
    const before = await workspace.openReady();
    stopped.kill('SIGSTOP');
    expect(await before.search('milk')).toHaveLength(1);
    const after = await workspace.openReady();
    expect(await after.search('milk')).toHaveLength(1);
    expect([before.status().role, after.status().role]).toEqual(['follower', 'follower']);
    await workspace.write('cats.txt', 'Cats are on the roof.');
    stopped.kill('SIGCONT');
    await until(after, async () => (await after.search('roof', { topK: 1 }))[0]?.document === 'cats.txt');
  });
});

describe('an index folder of another corpus', () => {
  it('is refused while that corpus exists, and taken over when its folder moved', async () => {
    const other = await Workspace.create();
    try {
      await other.write('dogs.txt', 'Dogs.');
      await (await workspace.openReady()).close();
      const refused = await other.open({ directory: workspace.index });
      await expect(refused.ready()).rejects.toMatchObject({ code: 'index_foreign' });
      await expect(refused.search('dogs')).rejects.toMatchObject({ code: 'index_foreign' });
      await refused.close();

      await rm(workspace.documents, { recursive: true });
      const lines: string[] = [];
      const taken = await other.openReady({
        directory: workspace.index,
        log: (_, message) => lines.push(message),
      });
      expect((await taken.search('dogs')).map((hit) => hit.document)).toEqual(['dogs.txt']);
      expect(lines.join()).toContain('moved');
    } finally {
      await other.remove();
    }
  });
});
