import { execFile } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Method } from './results/results.js';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));

/** Our own packages, which have no versions worth telling: the commit says what they are. */
const ours = '@kettle/';
/** What draws and checks the report decides no number. */
const notMeasured: ReadonlySet<string> = new Set(['@observablehq/plot', 'ajv', 'linkedom']);

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

/** Installed versions of all that our packages depend on, as their manifests name it: those of new backends too. */
export async function readVersions(): Promise<Record<string, string>> {
  const versions = new Map<string, string>();
  const seen = new Set<string>();
  const visit = async (folder: string): Promise<void> => {
    const manifest = await readManifest(folder);
    for (const name of Object.keys(manifest?.dependencies ?? {})) {
      if (seen.has(name) || notMeasured.has(name)) continue;
      seen.add(name);
      const installed = await folderOf(name, folder);
      // What is not installed was not measured.
      if (installed === undefined) continue;
      if (name.startsWith(ours)) await visit(installed);
      else versions.set(name, (await readManifest(installed))?.version ?? 'unknown');
    }
  };
  await visit(fileURLToPath(new URL('..', import.meta.url)));
  return Object.fromEntries([...versions].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Not by the package's export map, which may hide package.json. */
async function folderOf(name: string, from: string): Promise<string | undefined> {
  // Links lead to where a package's own dependencies are found.
  const paths = createRequire(join(await realpath(from), 'package.json')).resolve.paths(name) ?? [];
  for (const path of paths) {
    const folder = join(path, name);
    if (await readManifest(folder)) return folder;
  }
  return undefined;
}

/** A fixed amount of arithmetic, to tell a slow machine from slow code. Milliseconds of 50 000 rounds; a fourth is done. */
export function calibrate(): number {
  const rounds = 12_500;
  const values = Float32Array.from({ length: 384 }, (_, index) => Math.sin(index));
  const start = performance.now();
  let sum = 0;
  for (let round = 0; round < rounds; round++)
    for (let i = 0; i < values.length; i++) sum += values[i]! * values[(i + round) % 384]!;
  if (Number.isNaN(sum)) throw new Error('unreachable');
  return (performance.now() - start) * (50_000 / rounds);
}
