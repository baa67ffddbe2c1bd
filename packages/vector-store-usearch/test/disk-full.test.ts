import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';

test('persist rejects with storage_full where files can not grow, and leaves the former generation', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kettle-usearch-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const child = join(import.meta.dirname, 'disk-full-child.mjs');
  // A limit on the size of files stands for the full disk: it needs no rights, and fails the same writes.
  const args = ['-c', 'ulimit -f 64; exec "$@"', 'sh', process.execPath, child, directory];
  const started = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  expect(await text(started.stdout)).toBe('persisted\nstorage_full\nanswers r0\nreopened with 10\n');
  expect(await readdir(directory)).toHaveLength(4);
});
