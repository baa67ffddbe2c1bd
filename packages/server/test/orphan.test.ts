import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
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

/** What the system says of a process; undefined where it has ended. */
function statOf(pid: number): { parent: number; group: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : { parent: Number(parent), group: Number(group) };
  } catch {
    return undefined;
  }
}

/** Every process below this one, by what the system says of each. */
function descendants(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = statOf(Number(name));
      return stat ? [[Number(name), stat.parent] as const] : [];
    });
  const below = (parent: number): number[] =>
    parents.flatMap(([child, of]) => (of === parent ? [child, ...below(child)] : []));
  return below(pid);
}

/** Every process of a group that still runs. */
function membersOf(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.group === group);
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

describe.skipIf(process.platform !== 'linux')('an HTTP server', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));

  /** Starts a server and resolves once it says where it listens; `said` goes on to take what it logs. */
  async function listening(command: string, args: readonly string[]) {
    const INDEX_DIR = await tempFolder();
    const CORPUS_DIR = await tempFolder({ 'tea.txt': 'Tea.' });
    const env = cleanEnv({ MCP_TRANSPORT: 'http', PORT: '0', LOG_LEVEL: 'info', INDEX_DIR, CORPUS_DIR });
    // A group of its own: what a signal to one process doesn't end is found, and ended, by it.
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    onTestFinished(() => {
      if (membersOf(child.pid!).length > 0) process.kill(-child.pid!, 'SIGKILL');
    });
    const server = { child, said: '', url: '', closed: once(child, 'close') };
    const listens = new Promise<void>((resolve, reject) => {
      child.on('close', () => reject(new Error(`it ended: ${server.said}`)));
      child.stderr.setEncoding('utf8').on('data', (text) => {
        server.said += text;
        server.url = /http:\/\/[\d.:]+/.exec(server.said)?.[0] ?? '';
        if (server.url) resolve();
      });
    });
    await listens;
    return server;
  }

  it('of `pnpm start` ends in good order when pnpm is told to end, and frees its port', async () => {
    const pnpm = process.env.npm_execpath?.match(/pnpm\.[cm]?js$/)?.input;
    const args = ['--filter', 'server', 'start'];
    const server = await (pnpm ? listening(process.execPath, [pnpm, ...args]) : listening('pnpm', args));
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    server.child.kill('SIGTERM');
    // The server has the pipes too: they close when it ends.
    await server.closed;
    expect(membersOf(server.child.pid!)).toEqual([]);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
    // Either a shell that became the server passed the signal on, or the server saw its parent go.
    expect(server.said).not.toMatch(/"level":[56]0/);
  });

  it('that no package manager started stays when its parent goes', async () => {
    const args = [`${root}scripts/run.mjs`, 'packages/server/dist/main.js'];
    const code = `require('node:child_process').spawn(process.execPath, ${JSON.stringify(args)}, { stdio: 'inherit' });`;
    const server = await listening(process.execPath, ['-e', code]);
    server.child.kill('SIGKILL');
    await untilGone(server.child.pid!);
    // Longer than the server takes to look for its parent again.
    await delay(2_500);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(server.said).not.toContain('is gone');
  });
});
