import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleFiles } from '../support/sample-corpus.js';
import { cleanEnv, initializeParams, type Wire } from '../support/server-process.js';
import { tempFolder } from '../support/temp-folder.js';

// A script, so without types.
const { pnpm } = await import(new URL('../../scripts/pnpm.mjs', import.meta.url).href);
const packages = fileURLToPath(new URL('../../..', import.meta.url));

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The folders of a package and of all packages of ours that it needs. */
async function withDependencies(folder: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {} } = JSON.parse(
    await readFile(join(packages, folder, 'package.json'), 'utf8'),
  ) as Manifest;
  for (const name of Object.keys(dependencies)) {
    if (name.startsWith('@kettle/')) await withDependencies(name.replace('@kettle/', ''), found);
  }
  return found;
}

/** Packs the server and what it needs, and installs the archives into a folder that knows nothing else. */
async function install(): Promise<string> {
  const archives = await tempFolder();
  const ours: Record<string, string> = {};
  for (const folder of await withDependencies('server')) {
    pnpm(['pack', '--pack-destination', archives], join(packages, folder));
    const file = (await readdir(archives)).find((name) => name.replace(/-\d.*$/, '') === `kettle-${folder}`);
    ours[`@kettle/${folder}`] = `file:${join(archives, file as string)}`;
  }
  const target = await tempFolder();
  const manifest = {
    private: true,
    dependencies: { '@kettle/server': ours['@kettle/server'] },
    pnpm: {
      // What a registry would say; and sharp in a version whose binary comes from a registry, too.
      overrides: { ...ours, '@xenova/transformers>sharp': '^0.34.0' },
      onlyBuiltDependencies: ['better-sqlite3', 'hnswlib-node'],
    },
  };
  await writeFile(join(target, 'package.json'), JSON.stringify(manifest));
  pnpm(['install', '--prefer-offline', '--reporter=append-only'], target);
  return target;
}

describe('the package, installed elsewhere', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await install();
  }, 300_000);

  async function kettle(
    args: readonly string[],
    env: Record<string, string> = {},
    input: readonly object[] = [],
  ) {
    const child = spawn(join(folder, 'node_modules', '.bin', 'kettle'), args, {
      cwd: folder,
      env: cleanEnv(env),
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input.map((message) => `${JSON.stringify(message)}\n`).join(''));
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { stdout, stderr, code: code as number };
  }

  it('has a command that explains itself', async () => {
    const { stdout, code } = await kettle(['--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('  serve ')]);
  });

  it('serves a folder', async () => {
    const env = { CORPUS_DIR: await tempFolder(sampleFiles), INDEX_DIR: await tempFolder() };
    const search = { name: 'search', arguments: { query: 'can I bring a dog' } };
    const { stdout, code } = await kettle(['serve'], env, [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: search },
    ]);
    const replies: Wire[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(replies.map(({ id }) => id)).toEqual([1, 2]);
    expect(replies[1].result.structuredContent.results[0].source).toBe('pets.txt');
  });

  it('has no sample, and says which variable names the documents', async () => {
    const { stdout, stderr, code } = await kettle(['serve']);
    expect({ stdout, stderr, code }).toEqual({
      stdout: '',
      stderr: 'kettle: CORPUS_DIR must be set to a folder of documents that can be read\n',
      code: 2,
    });
  });
});
