import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { chroma } from '../../vector-store-chroma/test/support/chroma-command.js';
import { isAlive, untilGone } from '../../vector-store-chroma/test/support/processes.js';
import { cleanEnv, initializeParams, mainFile } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

/** A client that starts the server as it is told to, and does nothing else. */
const startServer = (stdio: string) => `
  const { spawn } = require('node:child_process');
  const server = spawn(process.execPath, [${JSON.stringify(mainFile)}], { stdio: ${stdio} });
  if (server.stdin) process.stdin.pipe(server.stdin);
  if (server.stdout) server.stdout.pipe(process.stdout);
`;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(code: string, env: NodeJS.ProcessEnv, stdin: 'pipe' | Readable): ChildProcess {
  const child = spawn(process.execPath, ['-e', code], { env, stdio: [stdin, 'pipe', 'inherit'] });
  started.push(child);
  return child;
}

/** Every process below this one, by what the system says of each. */
function descendants(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as const];
      } catch {
        return []; // Ended meanwhile.
      }
    });
  const below = (parent: number): number[] =>
    parents.flatMap(([child, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid);
}

/** The command line of a process; empty where it has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Asks for a search that has to wait, and gives every process below `parent` once all that indexing needs run. */
async function askAndWait(input: Writable, parent: ChildProcess): Promise<number[]> {
  for (const message of [
    { id: 1, method: 'initialize', params: initializeParams },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'search', arguments: { query: 'tea' } } },
  ])
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const needed = ['main.js', 'child.js', ...(chroma.available ? ['guardian.js', 'chroma'] : [])];
  let below: number[] = [];
  const running = () => {
    below = descendants(parent.pid!);
    const commands = below.map(commandOf);
    return needed.map((name) => commands.find((command) => command.includes(name)) && name);
  };
  await expect.poll(running, { timeout: 50_000 }).toEqual(needed);
  return below;
}

/** Enough to be busy with for as long as the test runs. */
async function environment(): Promise<NodeJS.ProcessEnv> {
  const paper = (number: number) =>
    Array.from(
      { length: 40 },
      (_, line) => `Paper ${number}, line ${line}: ${'how tea is made. '.repeat(40)}\n\n`,
    );
  const papers = Array.from({ length: 60 }, (_, number) => [`${number}.txt`, paper(number).join('')]);
  const backend = chroma.available
    ? { VECTOR_BACKEND: 'chroma', CHROMA_COMMAND: chroma.command.map((word) => `"${word}"`).join(' ') }
    : {};
  const CORPUS_DIR = await tempFolder(Object.fromEntries(papers));
  return cleanEnv({ CORPUS_DIR, INDEX_DIR: await tempFolder(), ...backend });
}

describe.skipIf(process.platform !== 'linux')('a stdio server whose parent is killed', () => {
  it('while it indexes ends, and leaves no process behind', async () => {
    const parent = start(startServer(`['pipe', 'pipe', 'inherit']`), await environment(), 'pipe');
    const below = await askAndWait(parent.stdin!, parent);
    parent.kill('SIGKILL');
    for (const pid of below) await untilGone(pid);
  });

  it('ends, and says why, when the parent is gone before the server was set up', async () => {
    // The real script, with a set-up that takes until the parent is gone.
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const scripts = await tempFolder({
      'run.mjs': readFileSync(`${root}scripts/run.mjs`, 'utf8'),
      'ready.mjs': `
          import { setTimeout } from 'node:timers/promises';
          export const root = ${JSON.stringify(root)};
          export async function ensureReady() {
            const parent = process.ppid;
            process.stderr.write('setting up');
            while (process.ppid === parent) await setTimeout(10);
          }`,
    });
    const code = `
        const args = [${JSON.stringify(`${scripts}/run.mjs`)}, 'packages/server/dist/main.js'];
        require('node:child_process').spawn(process.execPath, args, { stdio: 'inherit' });
      `;
    const parent = spawn(process.execPath, ['-e', code], {
      env: { ...(await environment()), LOG_LEVEL: 'warn' },
    });
    started.push(parent);
    let said = '';
    parent.stderr.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
      if (said === 'setting up') parent.kill('SIGKILL');
    });
    // The server has it too: it closes when that ends.
    await once(parent.stderr, 'close');
    expect(said).toContain(`process ${parent.pid}, which started this server, is gone`);
    expect(said).toContain('MCP_TRANSPORT=http');
  });

  it('ends also where another process keeps the pipes open', async () => {
    // Its stdout is the server's stdin: it passes on what it is told, and stays.
    const holder = start('process.stdin.pipe(process.stdout)', process.env, 'pipe');
    const parent = start(startServer(`'inherit'`), await environment(), holder.stdout!);
    const below = await askAndWait(holder.stdin!, parent);
    parent.kill('SIGKILL');
    for (const pid of below) await untilGone(pid);
    expect(isAlive(holder.pid!)).toBe(true);
  });
});
