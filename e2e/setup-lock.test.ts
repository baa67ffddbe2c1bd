import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const lock = new URL('../scripts/setup-lock.mjs', import.meta.url).href;

/**
 * Takes the lock and writes down when it came in and went out. Each stalls for another time between what it finds out
 * about the holder and what it does about that.
 */
const visitor = `
  import { appendFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  import { takeLock } from ${JSON.stringify(lock)};
  const [file, diary, start, stall] = process.argv.slice(1);
  const kill = process.kill.bind(process);
  process.kill = (...args) => {
    try {
      return kill(...args);
    } finally {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(stall));
    }
  };
  await setTimeout(Number(start) - Date.now()); // all at the same instant
  const release = await takeLock(file, () => {});
  appendFileSync(diary, 'in ' + process.pid + '\\n');
  await setTimeout(400);
  appendFileSync(diary, 'out ' + process.pid + '\\n');
  release();
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kettle-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Each leaves files as a process would that held the lock before. */
test.each<[string, (file: string) => Promise<void>]>([
  ['nobody', async () => {}],
  ['a process that is dead', async (file) => writeFile(file, String(await deadProcess()))],
  [
    'a process that died before it wrote its id',
    async (file) => {
      await writeFile(file, '');
      await utimes(file, 0, 0);
    },
  ],
  [
    'a process that died while it wrote its id',
    async (file) => {
      await writeFile(file, 'rubbish');
    },
  ],
  [
    'a process that is dead, as is the one that was about to follow it',
    async (file) => {
      await writeFile(file, String(await deadProcess()));
      await writeFile(`${file}.claim`, String(await deadProcess()));
    },
  ],
])(
  'one at a time, after %s held the lock',
  async (_, leave) => {
    const file = join(folder, 'lock');
    const diary = join(folder, 'diary');
    await leave(file);
    const start = Date.now() + 3000;
    const visitors = Array.from({ length: 4 }, (_, index) => visit(file, diary, start, index * 300));
    expect(await Promise.all(visitors)).toEqual([0, 0, 0, 0]);

    const lines = (await readFile(diary, 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(8);
    for (let i = 0; i < lines.length; i += 2) expect(lines[i + 1]).toBe(lines[i]?.replace('in', 'out'));
    // Nothing stays behind.
    expect(await readdir(folder)).toEqual(['diary']);
  },
  60_000,
);

async function visit(file: string, diary: string, start: number, stall: number): Promise<number | null> {
  const args = ['--input-type=module', '--eval', visitor, file, diary, String(start), String(stall)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  return code;
}

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  return child.pid!;
}
