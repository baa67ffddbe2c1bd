import { execFile, spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type VectorRecord, VectorStoreError } from '@kettle/vector-store';
import { ChromaServer, ChromaVectorStore } from '@kettle/vector-store-chroma';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chroma } from './support/chroma-command.js';
import { serverPid, untilGone } from './support/processes.js';
import { tempDir } from './support/temp-dir.js';

const fingerprint = { model: 'test', dimensions: 384, metric: 'cosine' } as const;
const part = (from: number): VectorRecord[] =>
  Array.from({ length: 200 }, (_, index) => ({
    id: `id-${from + index}`,
    vector: Float32Array.from({ length: 384 }, (_, place) => Math.sin((from + index + 1) * (place + 1))),
  }));

/** `unshare` with the right to mount: root has it, and others have it in a user namespace of their own. */
const unshare = process.getuid?.() === 0 ? 'unshare --mount' : 'unshare --user --map-root-user --mount';
const canMount = spawnSync('sh', ['-c', `${unshare} mount -t tmpfs none /mnt`]).status === 0;
if (chroma.available && !canMount)
  process.stderr.write('Skipped: a real full disk, which this user may not mount.\n');

const quoted = () => chroma.command.map((word) => `'${word}'`).join(' ');

async function wrapped(folder: string, script: string): Promise<readonly string[]> {
  const file = join(folder, 'wrapper');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return [file];
}

/** Fills a store until that fails. */
async function fill(store: ChromaVectorStore): Promise<VectorStoreError> {
  for (let from = 0; from < 20_000; from += 200) {
    const error = await store.upsert(part(from)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (VectorStoreError.isInstance(error)) return error;
    if (error) throw error;
  }
  throw new Error('The disk never filled.');
}

describe.skipIf(!chroma.available)('a server without space', () => {
  test.skipIf(!canMount)('says so, goes on saying so, and never answers "no results"', async () => {
    await using folder = await tempDir();
    const data = join(folder.path, 'data');
    const command = await wrapped(
      folder.path,
      `exec ${unshare} sh -c 'mount -t tmpfs -o size=6m none "$0" && exec "$@"' '${data}' ${quoted()} "$@"`,
    );
    const server = await ChromaServer.start({ directory: data, command });
    const store = await ChromaVectorStore.open({ server, fingerprint, corpusId: 'c' });
    onTestFinished(() => store.close());
    for (const error of [await fill(store), await fill(store)]) {
      expect(error).toMatchObject({ code: 'storage_full', retryable: false });
    }
    const answer = await store.query(part(0)[0]!.vector, 1).catch((reason: unknown) => reason);
    if (!VectorStoreError.isInstance(answer))
      expect(answer).toEqual([{ id: 'id-0', distance: expect.closeTo(0, 4) }]);
  });

  test.skipIf(!canMount).each([0, 4, 40])('at its start, with %i KB left, says so', async (free) => {
    await using folder = await tempDir();
    const program = fileURLToPath(new URL('./support/try-start.mjs', import.meta.url));
    const size = 2048;
    const script = `mount -t tmpfs -o size=${size}k none "$0"
      head -c ${(size - free) * 1024} /dev/zero >"$0/fill"
      exec "$@"`;
    const [shell = '', ...words] = unshare.split(' ');
    const args = [...words, 'sh', '-c', script, folder.path, process.execPath, program];
    const { stdout, stderr } = await promisify(execFile)(shell, [
      ...args,
      join(folder.path, 'data'),
      ...chroma.command,
    ]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'storage_full',
      message: expect.stringMatching(/Free some space\.$/),
    });
  });

  test('that may not write large files ends in an error, and is whole again with space', async () => {
    await using folder = await tempDir();
    const data = join(folder.path, 'data');
    const command = await wrapped(folder.path, `ulimit -f 2000\nexec ${quoted()} "$@"`);
    const server = await ChromaServer.start({ directory: data, command });
    const store = await ChromaVectorStore.open({ server, fingerprint, corpusId: 'c' });
    expect(['storage_full', 'unavailable', 'timeout']).toContain((await fill(store)).code);
    // A server lives on for a moment after its last user, and the next user would get this one.
    const pid = serverPid(data);
    await store.close();
    await untilGone(pid);

    const roomy = await ChromaServer.start({ directory: data, command: chroma.command });
    const again = await ChromaVectorStore.open({
      server: roomy,
      fingerprint,
      corpusId: 'c',
      deadline: 30_000,
    });
    onTestFinished(() => again.close());
    await again.upsert(part(0));
    await again.upsert(part(200));
    expect((await again.query(part(200)[0]!.vector, 1))[0]?.id).toBe('id-200');
  });
});
