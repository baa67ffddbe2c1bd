import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FileLock } from '@kettle/file-lock';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const name = 'the.lock';
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kettle-lock-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function acquire(): FileLock | undefined {
  const lock = FileLock.acquire(directory, name);
  onTestFinished(() => lock?.release());
  return lock;
}

/** Another process that tries to get the lock, and keeps it. */
async function other(options: { uid?: number } = {}): Promise<{ said: string; process: ChildProcess }> {
  const program = fileURLToPath(new URL('./hold-lock.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, directory, name], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...options,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = (await once(child.stdout!, 'data')) as [Buffer];
  return { said: said.toString().trim(), process: child };
}

test('one process has the lock, and the next one gets it when that is killed', async () => {
  const holder = await other();
  expect(holder.said).toBe('held');
  expect(acquire()).toBeUndefined();
  holder.process.kill('SIGKILL');
  await once(holder.process, 'close');
  expect(acquire()).toBeDefined();
  expect((await other()).said).toBe('busy');
});

test('one holder within a process has it, and the next one gets it on release', () => {
  const lock = FileLock.acquire(directory, name);
  expect(acquire()).toBeUndefined();
  lock?.release();
  expect(acquire()).toBeDefined();
});

test('locks of other names, and in other folders, are others', async () => {
  acquire();
  const beside = FileLock.acquire(directory, 'another.lock');
  onTestFinished(() => beside?.release());
  expect(beside).toBeDefined();
});

test('nothing is left behind but the empty file', async () => {
  const lock = FileLock.acquire(directory, name);
  expect(await readdir(directory)).toEqual([name]);
  lock?.release();
  expect(await readdir(directory)).toEqual([name]);
});

const damages: Record<string, (file: string) => Promise<unknown>> = {
  'rubbish, short': (file) => writeFile(file, 'x'),
  'rubbish, long': (file) => writeFile(file, 'rubbish '.repeat(1000)),
  'no bytes': (file) => writeFile(file, ''),
  'the beginning of a database': (file) => writeFile(file, `SQLite format 3\0${'?'.repeat(200)}`),
  'a folder': (file) => mkdir(file),
  'a link to a folder': (file) => symlink(tmpdir(), file),
};

describe.each(Object.entries(damages))('%s in place of the lock file', (_, damage) => {
  test('still lets exactly one process have it', async () => {
    await damage(join(directory, name));
    const holder = await other();
    expect(holder.said).toBe('held');
    expect(acquire()).toBeUndefined();
    holder.process.stdin!.end();
    await once(holder.process, 'close');
    expect(acquire()).toBeDefined();
  });
});

test('files that are all damaged are named, and left alone', async () => {
  await Promise.all(
    ['', '-1', '-2', '-3', '-4', '-5', '-6', '-7', '-8', '-9'].map((part) =>
      mkdir(join(directory, `the${part}.lock`)),
    ),
  );
  expect(acquire).toThrow(/the\.lock/);
  expect(await readdir(directory)).toHaveLength(10);
});

// The superuser may write any file, so another user has to try.
const uid = process.getuid?.() === 0 ? 65_534 : undefined;
test.skipIf(process.platform === 'win32')('a file that may only be read is no lock for anybody', async () => {
  await writeFile(join(directory, name), '');
  await chmod(join(directory, name), 0o444);
  await chmod(directory, 0o755);
  const { said } = await other({ ...(uid !== undefined && { uid }) });
  expect(said).toBe('SQLITE_READONLY');
});

test('a folder that is not there is an error', async () => {
  await rm(directory, { recursive: true });
  expect(acquire).toThrow();
});
