import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const lock = new URL('../scripts/setup-lock.mjs', import.meta.url).href;

/** Takes the lock and writes down when it came in and went out. Coming in late shows who else is there. */
const visitor = `
  import { appendFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  import { takeLock } from ${JSON.stringify(lock)};
  const [file, diary, start] = process.argv.slice(1);
  while (Date.now() < Number(start)); // all at the same instant
  const release = await takeLock(file, () => {});
  appendFileSync(diary, 'in ' + process.pid + '\\n');
  await setTimeout(50);
  appendFileSync(diary, 'out ' + process.pid + '\\n');
  release();
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kettle-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['nobody', undefined],
  ['a process that is dead', async () => String(await deadProcess())],
  ['a process that died before it wrote its id', async () => 'rubbish'],
])('one at a time, after %s held the lock', async (_, contents) => {
  const file = join(folder, 'lock');
  const diary = join(folder, 'diary');
  if (contents) await writeFile(file, await contents());
  const start = Date.now() + 1500;
  const visitors = Array.from({ length: 6 }, () => visit(file, diary, start));
  expect(await Promise.all(visitors)).toEqual([0, 0, 0, 0, 0, 0]);

  const lines = (await readFile(diary, 'utf8')).trim().split('\n');
  expect(lines).toHaveLength(12);
  for (let i = 0; i < lines.length; i += 2) expect(lines[i + 1]).toBe(lines[i]?.replace('in', 'out'));
});

async function visit(file: string, diary: string, start: number): Promise<number | null> {
  const args = ['--input-type=module', '--eval', visitor, file, diary, String(start)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  return code;
}

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  return child.pid!;
}
