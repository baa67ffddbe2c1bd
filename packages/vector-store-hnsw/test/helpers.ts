import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Fingerprint, VectorRecord } from '@kettle/vector-store';
import { type HnswOptions, HnswVectorStore } from '@kettle/vector-store-hnsw';
import { onTestFinished } from 'vitest';

export const fingerprint: Fingerprint = { model: 'test-model', dimensions: 16, metric: 'cosine' };

/** A folder that is gone when the test is over. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kettle-hnsw-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A store that is closed when the test is over, and the reasons it gave for opening empty. */
export async function openStore(
  directory: string,
  options: Partial<HnswOptions> = {},
): Promise<{ store: HnswVectorStore; reasons: string[] }> {
  const reasons: string[] = [];
  const store = await HnswVectorStore.open({
    directory,
    fingerprint,
    onRebuild: (reason) => reasons.push(reason),
    ...options,
  });
  onTestFinished(() => store.close());
  return { store, reasons };
}

/** Records whose vectors follow from their numbers, so that processes agree on them. */
export function numberedRecords(
  from: number,
  to: number,
  dimensions = fingerprint.dimensions,
): VectorRecord[] {
  return Array.from({ length: to - from }, (_, index) => ({
    id: `r${from + index}`,
    vector: Float32Array.from({ length: dimensions }, (_, place) =>
      Math.sin((from + index + 1) * (place + 1) * 0.7),
    ),
  }));
}

export async function allIds(store: HnswVectorStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of store.ids()) ids.push(...page);
  return ids.sort();
}

export interface PersistChild {
  readonly directory: string;
  readonly generations: number;
  /** Records of each generation. */
  readonly size: number;
  /** What to start Node with. */
  readonly command?: readonly string[];
}

/** Runs persist-child.mjs until it ends and gives the lines it wrote. The child does not outlive the test. */
export function runPersistChild(
  { directory, generations, size, command = [] }: PersistChild,
  onLine: (line: string, child: ChildProcess) => void = () => {},
): Promise<string[]> {
  const script = join(import.meta.dirname, 'persist-child.mjs');
  const args = [script, directory, generations, size, fingerprint.dimensions].map(String);
  const [executable, ...rest] = [...command, process.execPath, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(executable!, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      onLine(line, child);
    });
    child.once('error', reject);
    child.once('close', () => {
      process.off('exit', kill);
      resolve(lines);
    });
  });
}
