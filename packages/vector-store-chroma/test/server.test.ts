import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VectorStoreError } from '@kettle/vector-store';
import { ChromaServer, ChromaVectorStore } from '@kettle/vector-store-chroma';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chroma } from './support/chroma-command.js';
import {
  answers,
  guardianPid,
  holdServer,
  isAlive,
  serverPid,
  soon,
  untilGone,
} from './support/processes.js';
import { tempDir } from './support/temp-dir.js';

const fingerprint = { model: 'test', dimensions: 2, metric: 'cosine' } as const;

async function startIn(directory: string, command = chroma.command): Promise<ChromaServer> {
  const server = await ChromaServer.start({ directory, command });
  onTestFinished(() => server.close());
  return server;
}

async function executable(file: string, script: string): Promise<string> {
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

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

  test('that was left behind is ended at the next start, and its data used', async () => {
    await using folder = await tempDir();
    const holder = await holdServer(folder.path, chroma.command);
    const store = await ChromaVectorStore.open({ server: holder.url, fingerprint, corpusId: 'c' });
    await store.upsert([{ id: 'a', vector: Float32Array.of(1, 0) }]);
    const pid = serverPid(folder.path);
    process.kill(guardianPid(folder.path), 'SIGKILL');
    holder.process.kill('SIGKILL');
    await once(holder.process, 'close');
    expect(isAlive(pid)).toBe(true);

    const server = await startIn(folder.path);
    await untilGone(pid);
    const again = await ChromaVectorStore.open({ server, fingerprint, corpusId: 'c' });
    expect(await again.count()).toBe(1);
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

  test('never ends a stranger that got the process id of an earlier server', async () => {
    await using folder = await tempDir();
    const stranger = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { detached: true });
    onTestFinished(() => void stranger.kill('SIGKILL'));
    const state = { controlPort: 1, token: 'old', server: { pid: stranger.pid, identity: 'another boot 1' } };
    await writeFile(join(folder.path, 'kettle-server.json'), JSON.stringify(state));
    await startIn(folder.path);
    expect(isAlive(stranger.pid!)).toBe(true);
  });

  test('takes another port when its own was taken in the meantime', async () => {
    await using folder = await tempDir();
    const mark = join(folder.path, 'tried');
    const wrapper = await executable(
      join(folder.path, 'wrapper'),
      `if [ ! -e '${mark}' ]; then : >'${mark}'; echo "Address 127.0.0.1:1 is not available" >&2; exit 0; fi
       exec ${chroma.command.map((word) => `'${word}'`).join(' ')} "$@"`,
    );
    const server = await startIn(join(folder.path, 'data'), [wrapper]);
    expect(await answers(await server.url(soon()))).toBe(true);
  });

  test('ends together with a wrapper that does not pass signals on', async () => {
    await using folder = await tempDir();
    const pidFile = join(folder.path, 'pid');
    const wrapper = await executable(
      join(folder.path, 'wrapper'),
      `${chroma.command.map((word) => `'${word}'`).join(' ')} "$@" & echo $! >'${pidFile}'; wait`,
    );
    const server = await startIn(join(folder.path, 'data'), [wrapper]);
    const pid = Number(await readFile(pidFile, 'utf8'));
    await server.close();
    await untilGone(pid);
  });

  test.skipIf(process.platform !== 'linux').each([
    ['in its process group', ''],
    ['in a session of its own', 'setsid '],
  ])('that a dead wrapper left behind %s is ended at the next start', async (_, prefix) => {
    await using folder = await tempDir();
    const [data, pidFile] = [join(folder.path, 'data'), join(folder.path, 'pid')];
    const wrapper = await executable(
      join(folder.path, 'wrapper'),
      `${prefix}${chroma.command.map((word) => `'${word}'`).join(' ')} "$@" & echo $! >'${pidFile}'; wait`,
    );
    const holder = await holdServer(data, [wrapper]);
    const left = Number(await readFile(pidFile, 'utf8'));
    for (const pid of [guardianPid(data), serverPid(data)]) process.kill(pid, 'SIGKILL');
    holder.process.kill('SIGKILL');
    await once(holder.process, 'close');
    expect(await answers(holder.url)).toBe(true);

    const server = await startIn(data, [wrapper]);
    await untilGone(left);
    expect(await answers(holder.url)).toBe(false);
    const next = Number(await readFile(pidFile, 'utf8'));
    await server.close();
    await untilGone(next);
  });

  test.skipIf(process.platform !== 'linux')('that its wrapper left running in secret is ended', async () => {
    await using folder = await tempDir();
    const pidFile = join(folder.path, 'pid');
    const wrapper = await executable(
      join(folder.path, 'wrapper'),
      `setsid sleep 1000 >/dev/null 2>&1 & echo $! >'${pidFile}'`,
    );
    await expect(startIn(join(folder.path, 'data'), [wrapper])).rejects.toMatchObject({
      code: 'unavailable',
    });
    await untilGone(Number(await readFile(pidFile, 'utf8')));
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

  test('does not run unknown to the next guardian: where it can not be noted down, it is ended', async () => {
    await using folder = await tempDir();
    const [data, pidFile] = [join(folder.path, 'data'), join(folder.path, 'pids')];
    const wrapper = await executable(
      join(folder.path, 'wrapper'),
      `echo $$ >>'${pidFile}'; exec ${chroma.command.map((word) => `'${word}'`).join(' ')} "$@"`,
    );
    const server = await startIn(data, [wrapper]);
    const pid = serverPid(data);
    // As a full disk would, it keeps the guardian from writing.
    await mkdir(join(data, 'kettle-server.json.new'));
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    await expect(server.url({ ...soon(), trouble: 'silent' })).rejects.toMatchObject({ code: 'unavailable' });
    const pids = () => readFile(pidFile, 'utf8').then((text) => text.trim().split('\n').map(Number));
    for (const started of await pids()) await untilGone(started);
    await rmdir(join(data, 'kettle-server.json.new'));
    expect(await answers(await server.url({ ...soon(), trouble: 'silent' }))).toBe(true);
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

describe('a private server that cannot run', () => {
  const waysOut = /newer system.*container.*CHROMA_URL.*CHROMA_COMMAND.*chroma-debian12/;

  test('says what an old glibc is and names the ways out', async () => {
    await using folder = await tempDir();
    const said = "Error: /lib/libc.so.6: version `GLIBC_2.38' not found (required by chroma.node)";
    const command = [
      await executable(join(folder.path, 'old'), `echo "${said.replace('`', '\\`')}" >&2; exit 1`),
    ];
    const error = await failure({ directory: folder.path, command });
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('GLIBC_2.38') });
    expect(error.message).toMatch(waysOut);
  });

  test('says which program is missing', async () => {
    await using folder = await tempDir();
    const error = await failure({ directory: folder.path, command: '/no/such/chroma' });
    expect(error).toMatchObject({ code: 'unsupported', message: expect.stringContaining('/no/such/chroma') });
    expect(error.message).toMatch(waysOut);
  });

  test('shows why it ended', async () => {
    await using folder = await tempDir();
    const command = [
      await executable(join(folder.path, 'bad'), 'echo "Error: the moon is full" >&2; exit 3'),
    ];
    const error = await failure({ directory: folder.path, command });
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('the moon is full'),
    });
  });

  test('is ended when it does not answer in time', async () => {
    await using folder = await tempDir();
    const pidFile = join(folder.path, 'pid');
    const command = [await executable(join(folder.path, 'slow'), `echo $$ >'${pidFile}'; exec sleep 1000`)];
    const error = await failure({ directory: folder.path, command, startDeadline: 1000 });
    expect(error).toMatchObject({ code: 'timeout' });
    await untilGone(Number(await readFile(pidFile, 'utf8')));
  });

  test('is given up when the caller has lost interest', async () => {
    await using folder = await tempDir();
    const command = [await executable(join(folder.path, 'slow'), 'exec sleep 1000')];
    const reason = new Error('no longer wanted');
    const signal = AbortSignal.abort(reason);
    await expect(ChromaServer.start({ directory: folder.path, command, signal })).rejects.toBe(reason);
  });

  test('is ended when the caller loses interest during the start', async () => {
    await using folder = await tempDir();
    const pidFile = join(folder.path, 'pid');
    const command = [await executable(join(folder.path, 'slow'), `echo $$ >'${pidFile}'; exec sleep 1000`)];
    const controller = new AbortController();
    const starting = ChromaServer.start({ directory: folder.path, command, signal: controller.signal });
    const refused = expect(starting).rejects.toThrow('no longer wanted');
    await expect.poll(() => readFile(pidFile, 'utf8').catch(() => ''), { timeout: 20_000 }).toMatch(/\d+\n/);
    controller.abort(new Error('no longer wanted'));
    await refused;
    await untilGone(Number(await readFile(pidFile, 'utf8')));
  });

  test.each(['', '  ', 'chroma "run', "it's"])('refuses %j as a command', async (command) => {
    await using folder = await tempDir();
    expect(await failure({ directory: folder.path, command })).toMatchObject({ code: 'invalid_argument' });
  });
});

async function failure(options: Parameters<typeof ChromaServer.start>[0]): Promise<VectorStoreError> {
  const error = await ChromaServer.start(options).then(
    (server) => server.close().then(() => new Error('it started')),
    (reason: unknown) => reason,
  );
  if (!VectorStoreError.isInstance(error)) throw error;
  return error;
}

/** Waits for the end of a process that some call brings about. */
async function untilGoneAfter(pid: number, call: () => Promise<unknown>): Promise<void> {
  await call();
  await untilGone(pid);
}
