import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChromaVectorStore } from '@kettle/vector-store-chroma';
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

/** A server whose guardian was killed, and its process id. */
async function startUnguarded(directory: string) {
  const server = await startIn(directory);
  const [pid, guardian] = [serverPid(directory), guardianPid(directory)];
  process.kill(guardian, 'SIGKILL');
  await untilGone(guardian);
  return { server, pid };
}

describe.skipIf(!chroma.available)('a private server', () => {
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

  test.skipIf(process.platform !== 'linux')(
    'that lost its guardian has a new one at the next call, and ends with its last user',
    async () => {
      await using folder = await tempDir();
      const { server, pid } = await startUnguarded(folder.path);
      await expect.poll(async () => answers(await server.url(soon()))).toBe(true);
      const next = serverPid(folder.path);
      expect(next).not.toBe(pid);
      await untilGone(pid);
      await server.close();
      await untilGone(next);
    },
  );

  test.skipIf(process.platform !== 'linux')(
    'that lost its guardian is ended by a user that closes it',
    async () => {
      await using folder = await tempDir();
      const { server, pid } = await startUnguarded(folder.path);
      await server.close();
      await untilGone(pid);
    },
  );

  test('never ends a stranger that got the process id of an earlier server', async () => {
    await using folder = await tempDir();
    const stranger = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { detached: true });
    onTestFinished(() => void stranger.kill('SIGKILL'));
    const state = { controlPort: 1, token: 'old', server: { pid: stranger.pid, identity: 'another boot 1' } };
    await writeFile(join(folder.path, 'kettle-server.json'), JSON.stringify(state));
    await startIn(folder.path);
    expect(isAlive(stranger.pid!)).toBe(true);
  });

  test('ends together with a wrapper that does not pass signals on', async () => {
    await using folder = await tempDir();
    const pidFile = join(folder.path, 'pid');
    const wrapper = await executable(
      join(folder.path, 'wrapper'),
      `${quotedCommand()} "$@" & echo $! >'${pidFile}'; wait`,
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
      `${prefix}${quotedCommand()} "$@" & echo $! >'${pidFile}'; wait`,
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

  test('does not run unknown to the next guardian: where it can not be noted down, it is ended', async () => {
    await using folder = await tempDir();
    const [data, pidFile] = [join(folder.path, 'data'), join(folder.path, 'pids')];
    const wrapper = await executable(
      join(folder.path, 'wrapper'),
      `echo $$ >>'${pidFile}'; exec ${quotedCommand()} "$@"`,
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
});
