import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { chroma } from '../../vector-store-chroma/test/support/chroma-command.js';
import { freePort, OutsideServer } from '../../vector-store-chroma/test/support/outside-server.js';
import {
  guardianPid,
  isAlive,
  serverPid,
  untilGone,
} from '../../vector-store-chroma/test/support/processes.js';
import { sampleFiles } from './support/sample-corpus.js';
import { cleanEnv, initializeParams, ServerProcess, type Wire } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

const binFile = fileURLToPath(new URL('../bin/kettle.mjs', import.meta.url));

afterEach(ServerProcess.killAll);

const dog = { name: 'search', arguments: { query: 'can I bring a dog', top_k: 1 } };
/** Milliseconds that a Chroma server may take for one request. */
const timeout = 2_000;

async function settings(extra: Record<string, string> = {}): Promise<Record<string, string>> {
  return {
    VECTOR_BACKEND: 'chroma',
    CORPUS_DIR: await tempFolder(sampleFiles),
    INDEX_DIR: await tempFolder(),
    ...extra,
  };
}

async function start(env: Record<string, string>): Promise<ServerProcess> {
  const server = new ServerProcess(env);
  await server.initialize();
  return server;
}

/** Where the private server's data and its state are. */
async function serverFolder(indexDirectory: string): Promise<string> {
  const files = await readdir(indexDirectory, { recursive: true });
  const state = files.find((name) => name.endsWith('kettle-server.json'));
  return join(indexDirectory, dirname(state as string));
}

/** The search's result, once the server has one. */
async function search(server: ServerProcess): Promise<Wire> {
  return (await server.ask('tools/call', dog)).result;
}

function expectFound(result: Wire): void {
  expect(result).toMatchObject({ isError: false, structuredContent: { results: [{ source: 'pets.txt' }] } });
}

/** One sentence that helps, without addresses and paths. */
function expectExcuse(result: Wire): void {
  expect(result.isError).toBe(true);
  const [{ text }] = result.content;
  expect(text).toMatch(/^The vector backend \(chroma\) can not be reached or failed\. Try again/);
  expect(text).not.toMatch(/127\.0\.0\.1|[\\/]tmp/);
}

describe.skipIf(!chroma.available)('with a private Chroma server', () => {
  const command = chroma.available ? chroma.command.map((word) => `"${word}"`).join(' ') : '';

  it('answers the four messages, and ends the server with its own end', async () => {
    const env = await settings({ CHROMA_COMMAND: command });
    const server = new ServerProcess(env);
    for (const message of [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: dog },
    ])
      server.send(message);
    await server.next(({ id }) => id === 3);
    const pid = serverPid(await serverFolder(env.INDEX_DIR as string));
    expect(await server.end()).toBe(0);
    expect(server.impure).toEqual([]);
    expect(server.received.map(({ id }) => id)).toEqual([1, 2, 3]);
    expectFound(server.received[2].result);
    await untilGone(pid);
  });

  it('shares it among processes; killed, they leave nothing behind, and the next start works', async () => {
    const env = await settings({ CHROMA_COMMAND: command });
    const one = await start(env);
    expectFound(await search(one));
    const chromaFolder = await serverFolder(env.INDEX_DIR as string);
    const pids = [serverPid(chromaFolder), guardianPid(chromaFolder)];
    const other = await start(env);
    expectFound(await search(other));
    expect(serverPid(chromaFolder)).toBe(pids[0]);

    one.child.kill('SIGKILL');
    await one.exit;
    expectFound(await search(other));
    other.child.kill('SIGKILL');
    await other.exit;
    for (const pid of pids) await untilGone(pid);

    expectFound(await search(await start(env)));
    expect(isAlive(serverPid(chromaFolder))).toBe(true);
  });
});

describe.skipIf(!chroma.available)("with somebody else's Chroma server", () => {
  /** A Chroma server, its data, and a Kettle that has searched on it. */
  async function startBoth() {
    const data = await tempFolder();
    const outside = await OutsideServer.start(data);
    onTestFinished(() => outside.kill());
    const server = await start(
      await settings({ CHROMA_URL: outside.url, CHROMA_TIMEOUT_MS: String(timeout) }),
    );
    expectFound(await search(server));
    return { data, outside, server };
  }

  it('answers; says so while the server is gone; answers again when it is back', async () => {
    const { data, outside, server } = await startBoth();
    await outside.kill();
    expectExcuse(await search(server));
    await outside.start(data);
    expectFound(await search(server));
    expect(await server.end()).toBe(0);
  });

  it('the doctor looks at it and leaves it as it was', async () => {
    const outside = await OutsideServer.start(await tempFolder());
    onTestFinished(() => outside.kill());
    const env = await settings({ CHROMA_URL: outside.url });
    const doctor = async (extra: Record<string, string> = {}) => {
      const child = spawn(process.execPath, [binFile, 'doctor'], { env: cleanEnv({ ...env, ...extra }) });
      return text(child.stdout);
    };
    expect(await doctor()).toContain(`ok    backend chroma: answers at ${outside.url}`);
    const collections = 'api/v2/tenants/default_tenant/databases/default_database/collections';
    const response = await fetch(`${outside.url}/${collections}`);
    expect([response.status, await response.json()]).toEqual([200, []]);
    // A database that is not there is found out, though nothing is made in it.
    expect(await doctor({ CHROMA_DATABASE: 'nobodys' })).toMatch(/WRONG backend chroma: .*nobodys/);
  });

  it('refills one that came back empty', async () => {
    const { outside, server } = await startBoth();
    await outside.kill();
    await outside.start(await tempFolder());
    await expect.poll(async () => (await search(server)).isError, { timeout: 30_000 }).toBe(false);
    expectFound(await search(server));
    expect(await server.end()).toBe(0);
  });

  it('says so when it hangs, no later than its time limit', async () => {
    const { outside, server } = await startBoth();
    outside.signal('SIGSTOP');
    expectExcuse(await search(server));
    outside.signal('SIGCONT');
    expectFound(await search(server));
    expect(await server.end()).toBe(0);
  });
});

it('starts without the server, says so, and lists documents all the same', async () => {
  const port = await freePort();
  const server = await start(
    await settings({ CHROMA_URL: `http://127.0.0.1:${port}`, CHROMA_TIMEOUT_MS: String(timeout) }),
  );
  expectExcuse(await search(server));
  const { result } = await server.ask('tools/call', { name: 'list_documents', arguments: {} });
  expect(result.structuredContent.documents).toHaveLength(5);
  expect(await server.end()).toBe(0);
});
