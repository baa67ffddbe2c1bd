import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { VectorStoreError } from '@kettle/vector-store';
import { ChromaServer, ChromaVectorStore } from '@kettle/vector-store-chroma';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chroma } from './support/chroma-command.js';
import { executable, quotedCommand, startIn } from './support/private-server.js';
import {
  answers,
  guardianPid,
  holdServer,
  isAlive,
  serverPid,
  soon,
  untilGone,
} from './support/processes.js';
import { fingerprint } from './support/store.js';
import { tempDir } from './support/temp-dir.js';

describe.skipIf(!chroma.available)('a private server', () => {
  test('keeps its data in the folder and ends when it is closed', async () => {
    await using folder = await tempDir();
    const server = await ChromaServer.start({ directory: folder.path, command: chroma.command });
    const url = await server.url(soon());
    expect(await answers(url)).toBe(true);
    expect(await readdir(folder.path)).toContain('chroma.sqlite3');
    const pid = serverPid(folder.path);
    await server.close();
    await untilGone(pid);
    expect(await answers(url)).toBe(false);
    await expect(server.url(soon())).rejects.toMatchObject({ code: 'closed' });
  });

  test('is one for all processes of a folder, and ends when the last was killed', async () => {
    await using folder = await tempDir();
    const holders = await Promise.all([1, 2, 3].map(() => holdServer(folder.path, chroma.command)));
    const [first, second, third] = holders.map(({ process }) => process);
    const { url } = holders[0]!;
    const pid = serverPid(folder.path);
    const guardian = process.platform === 'linux' ? guardianPid(folder.path) : undefined;
    expect(new Set(holders.map((holder) => holder.url))).toEqual(new Set([url]));

    first?.kill('SIGKILL');
    second?.stdin?.end();
    await Promise.all([once(first!, 'close'), once(second!, 'close')]);
    const late = await holdServer(folder.path, chroma.command);
    expect(late.url).toBe(url);
    expect(serverPid(folder.path)).toBe(pid);

    third?.kill('SIGKILL');
    late.process.kill('SIGKILL');
    await untilGone(pid);
    if (guardian !== undefined) await untilGone(guardian);
  });

  test('is started again by the next call after it died, with its data', async () => {
    await using folder = await tempDir();
    const server = await startIn(folder.path);
    const store = await ChromaVectorStore.open({ server, fingerprint, corpusId: 'c' });
    await store.upsert([{ id: 'a', vector: Float32Array.of(1, 0) }]);
    const pid = serverPid(folder.path);
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    expect(await store.query(Float32Array.of(1, 0), 1)).toEqual([{ id: 'a', distance: 0 }]);
    expect(serverPid(folder.path)).not.toBe(pid);
  });

  test('is replaced when it hangs', async () => {
    await using folder = await tempDir();
    const server = await startIn(folder.path);
    const store = await ChromaVectorStore.open({ server, fingerprint, corpusId: 'c', deadline: 500 });
    const pid = serverPid(folder.path);
    process.kill(pid, 'SIGSTOP');
    await expect(store.count()).rejects.toMatchObject({ code: 'timeout', retryable: true });
    await untilGoneAfter(pid, () => store.count().catch(() => undefined));
    await expect.poll(() => store.count().catch(() => undefined), { timeout: 20_000 }).toBe(0);
  });

  test('goes on when its guardian was killed', async () => {
    await using folder = await tempDir();
    const server = await startIn(folder.path);
    const store = await ChromaVectorStore.open({ server, fingerprint, corpusId: 'c' });
    const pid = serverPid(folder.path);
    process.kill(guardianPid(folder.path), 'SIGKILL');
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    expect(await store.count()).toBe(0);
    expect(isAlive(guardianPid(folder.path))).toBe(true);
  });

  test('takes another port when its own was taken in the meantime', async () => {
    await using folder = await tempDir();
    const mark = join(folder.path, 'tried');
    const wrapper = await executable(
      join(folder.path, 'wrapper'),
      `if [ ! -e '${mark}' ]; then : >'${mark}'; echo "Address 127.0.0.1:1 is not available" >&2; exit 0; fi
       exec ${quotedCommand()} "$@"`,
    );
    const server = await startIn(join(folder.path, 'data'), [wrapper]);
    expect(await answers(await server.url(soon()))).toBe(true);
  });

  test.each([
    ['rubbish', (file: string) => writeFile(file, 'rubbish '.repeat(1000))],
    ['a folder', (file: string) => mkdir(file)],
  ])('has one guardian with %s in place of the lock file', async (_, damage) => {
    await using folder = await tempDir();
    await damage(join(folder.path, 'kettle-server.lock'));
    const [holder, server] = await Promise.all([
      holdServer(folder.path, chroma.command),
      startIn(folder.path),
    ]);
    onTestFinished(() => void holder.process.kill('SIGKILL'));
    expect(await server.url(soon())).toBe(holder.url);
  });

  test('is replaced when it is alive and fails at everything', async () => {
    await using folder = await tempDir();
    const [data, mark] = [join(folder.path, 'data'), join(folder.path, 'mark')];
    const program = fileURLToPath(new URL('./support/failing-server.mjs', import.meta.url));
    const server = await startIn(data, [process.execPath, program, mark, ...chroma.command]);
    const store = await ChromaVectorStore.open({ server, fingerprint, corpusId: 'c' });
    const pid = serverPid(data);
    await writeFile(mark, '');
    const count = () => store.count().catch((error: VectorStoreError) => error.code);
    expect(await count()).toBe('unavailable');
    await expect.poll(count, { timeout: 40_000 }).toBe(0);
    expect(serverPid(data)).not.toBe(pid);
  });

  test("is not kept from one user by another's command that starts none", async () => {
    await using folder = await tempDir();
    const data = join(folder.path, 'data');
    const begun = join(folder.path, 'begun');
    const goOn = join(folder.path, 'go-on');
    const broken = await executable(
      join(folder.path, 'broken'),
      `: >'${begun}'; until [ -e '${goOn}' ]; do sleep 0.1; done; echo "no server here" >&2; exit 1`,
    );
    const other = ChromaServer.start({ directory: data, command: [broken] });
    const refused = expect(other).rejects.toMatchObject({
      message: expect.stringContaining('no server here'),
    });
    await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true);
    const starting = startIn(data);
    await writeFile(goOn, '');
    expect(await answers(await (await starting).url(soon()))).toBe(true);
    await refused;
  });

  test('takes a folder and a command with spaces', async () => {
    await using folder = await tempDir();
    const directory = join(folder.path, 'a folder');
    await mkdir(directory);
    const line = chroma.command.map((word) => `"${word}"`).join(' ');
    const server = await ChromaServer.start({ directory, command: line });
    onTestFinished(() => server.close());
    expect(await answers(await server.url(soon()))).toBe(true);
  });
});

/** Waits for the end of a process that some call brings about. */
async function untilGoneAfter(pid: number, call: () => Promise<unknown>): Promise<void> {
  await call();
  await untilGone(pid);
}
