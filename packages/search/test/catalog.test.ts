import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspectIndexes } from '@kettle/search';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeEmbedder } from './support/fake-embedder.mjs';
import { until } from './support/until.js';
import { withoutPrivileges } from './support/without-privileges.js';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
  await workspace.write('tea.txt', 'Tea with milk.');
});
afterEach(async () => {
  await workspace.remove();
});

describe('the catalog', () => {
  it('of a newer Kettle is refused and left alone', async () => {
    const first = await workspace.openReady();
    const { directory } = first.status();
    await first.close();
    const db = new Database(`${directory}/catalog.sqlite`);
    db.pragma('user_version = 99');
    db.close();
    const index = await workspace.open();
    await expect(index.ready()).rejects.toMatchObject({ code: 'index_newer' });
    expect(await index.listDocuments()).toHaveLength(1);
    await index.close();
    expect(await readdir(directory!)).not.toContain('catalog.sqlite.damaged');
    expect(await inspectIndexes(workspace.index)).toEqual([
      {
        directory,
        problem: expect.stringContaining('schema version 99'),
        remedy: expect.stringContaining('newer Kettle'),
      },
    ]);
  });

  it('is one for each model, and coming back to a model costs no inference', async () => {
    const fingerprints = ['one@1', 'two@1', 'one@1'];
    const embedded: number[] = [];
    for (const fingerprint of fingerprints) {
      const embedder = new FakeEmbedder({ fingerprint });
      await (await workspace.openReady({ embedder })).close();
      embedded.push(embedder.embedded.length);
    }
    expect(embedded).toEqual([1, 1, 0]);
    expect(await readdir(workspace.index)).toHaveLength(2);
  });

  it('is written only when there is something to write: each time wakes all who follow', async () => {
    await workspace.write('none.txt', Buffer.from([0, 1, 2, 3]));
    const index = await workspace.openReady();
    const db = new Database(join(index.status().directory!, 'catalog.sqlite'), { readonly: true });
    const version = () => db.pragma('data_version', { simple: true });
    // Until the stamps of the files just written tell.
    await until(index, async () => {
      const before = version();
      await index.sync();
      return version() === before;
    });
    const level = version();
    await index.sync();
    expect(version()).toBe(level);
    await workspace.write('none.txt', 'Some.');
    await index.sync();
    expect(version()).not.toBe(level);
    db.close();
  });

  it('can be inspected without the model, in use or not', async () => {
    expect(await inspectIndexes(join(workspace.root, 'nowhere'))).toEqual([]);
    const index = await workspace.openReady({ backend: 'exact' });
    const expected = {
      directory: index.status().directory,
      model: 'test/words',
      fingerprint: 'test/words@1',
      dimensions: 32,
      corpus: { name: 'documents', directory: workspace.documents },
      documents: 1,
      passages: 1,
      vectors: 1,
      spareEmbeddings: 0,
      lastSyncAt: index.status().lastSyncAt,
      stores: [{ backend: 'exact', level: true }],
    };
    expect(await inspectIndexes(workspace.index)).toMatchObject([{ ...expected, inUse: true }]);
    await rm(workspace.path('tea.txt'));
    await index.sync();
    await index.close();
    expect(await inspectIndexes(workspace.index)).toMatchObject([
      { documents: 0, passages: 0, vectors: 0, spareEmbeddings: 1, inUse: false },
    ]);
  });
});

describe('an index that we may only read', () => {
  it('can be inspected', async () => {
    const index = await workspace.openReady();
    const directory = index.status().directory!;
    await index.close();
    await chmod(join(directory, 'writer-lock.sqlite'), 0o444);
    await withoutPrivileges(workspace.root, async () => {
      expect(await inspectIndexes(workspace.index)).toMatchObject([{ documents: 1, inUse: false }]);
    });
  });
});

describe('a full disk', () => {
  const child = fileURLToPath(new URL('./support/full-disk-child.mjs', import.meta.url));
  // Root may mount a small disk; others may in a user namespace of their own, where the system has those.
  const unshare = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  const canMount = spawnSync('unshare', [...unshare, 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;

  function run(command: string, args: readonly string[]): unknown {
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 50_000 });
    return JSON.parse(stdout || JSON.stringify({ stderr }));
  }

  it.skipIf(!canMount)('is told, does not end the service, and is gone when space is', async () => {
    await mkdir(workspace.index);
    const script = `mount -t tmpfs -o size=24m none "$1" && exec "$0" "$2" "$3" "$1" yes`;
    const args = [process.execPath, workspace.index, child, workspace.documents];
    expect(run('unshare', [...unshare, 'sh', '-c', script, ...args])).toEqual({
      code: 'storage_full',
      found: true,
      phase: 'failed',
      recovered: 61,
    });
  });

  // A file that may not grow needs no rights to arrange; SQLite says "I/O error" then.
  it.skipIf(process.platform === 'win32')(
    'or one that takes no more is told, and the next start does the rest',
    async () => {
      const args = [process.execPath, child, workspace.documents, workspace.index];
      expect(run('sh', ['-c', 'ulimit -f 6000; exec "$@"', 'sh', ...args])).toEqual({
        code: 'index_unavailable',
        found: true,
        phase: 'failed',
      });
      const index = await workspace.openReady();
      expect(index.status()).toMatchObject({ documents: 61, phase: 'ready' });
      expect(await index.search('tea', { documents: ['tea.txt'] })).toHaveLength(1);
    },
  );
});
