import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VectorStoreError } from '@kettle/vector-store';
import { ChromaServer } from '@kettle/vector-store-chroma';
import { describe, expect, test } from 'vitest';
import { executable } from './support/private-server.js';
import { untilGone } from './support/processes.js';
import { tempDir } from './support/temp-dir.js';

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

  // Node's own recursive mkdir never ends there.
  test.skipIf(!existsSync('/proc/self'))('names the folder that can not be made', async () => {
    const error = await failure({ directory: '/proc/kettle/chroma' });
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('/proc/kettle') });
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
