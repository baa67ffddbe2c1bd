import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Method } from './results/results.js';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));

/** Packages whose versions decide the numbers, each with the packages that lead to it from here. */
const measuredPackages: readonly (readonly [name: string, ...path: string[]])[] = [
  ['@xenova/transformers', '@kettle/embedder'],
  ['onnxruntime-node', '@kettle/embedder'],
  ['better-sqlite3', '@kettle/search'],
  ['hnswlib-node', '@kettle/server', '@kettle/vector-store-hnsw'],
  ['usearch', '@kettle/server', '@kettle/vector-store-usearch'],
  ['chromadb', '@kettle/server', '@kettle/vector-store-chroma'],
  ['@modelcontextprotocol/sdk', '@kettle/server'],
];

/** Commit of the checkout, and whether tracked files differ from it. `unknown` outside of git. */
export async function readCommit(): Promise<Method['git']> {
  try {
    const commit = (await run('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: here })).stdout.trim();
    const status = await run('git', ['status', '--porcelain', '--untracked-files=no'], { cwd: here });
    return { commit, dirty: status.stdout.trim() !== '' };
  } catch {
    return { commit: 'unknown', dirty: true };
  }
}

export async function readMachine(): Promise<Method['machine']> {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    system: `${await distribution()} (${type()} ${release()}, ${process.arch})`,
    node: process.version,
  };
}

async function distribution(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^PRETTY_NAME="?([^"\n]+)"?$/m.exec(text)?.[1] ?? process.platform;
}

/** Installed versions of what is measured; packages that are not there are left out. */
export async function readVersions(): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const [name, ...path] of measuredPackages) {
    try {
      let require = createRequire(import.meta.url);
      for (const step of path) require = createRequire(require.resolve(step));
      versions[name] = await versionOf(name, require);
    } catch {
      // Not installed: nothing of it was measured.
    }
  }
  return versions;
}

/** From the package's own folder: its export map may hide package.json. */
async function versionOf(name: string, require: NodeJS.Require): Promise<string> {
  for (const folder of require.resolve.paths(name) ?? []) {
    const text = await readFile(`${folder}/${name}/package.json`, 'utf8').catch(() => undefined);
    if (text !== undefined) return (JSON.parse(text) as { version: string }).version;
  }
  throw new Error(`${name} is not installed`);
}

/** A fixed amount of arithmetic, to tell a slow machine from slow code. Milliseconds. */
export function calibrate(): number {
  const values = Float32Array.from({ length: 384 }, (_, index) => Math.sin(index));
  const start = performance.now();
  let sum = 0;
  for (let round = 0; round < 50_000; round++)
    for (let i = 0; i < values.length; i++) sum += values[i]! * values[(i + round) % 384]!;
  if (Number.isNaN(sum)) throw new Error('unreachable');
  return performance.now() - start;
}
