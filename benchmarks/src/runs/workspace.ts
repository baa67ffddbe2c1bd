import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fingerprint } from '@kettle/vector-store';
import type { Vectors } from '../corpus/geometry.js';

/** What the jobs of one run share: made by the first job, read by the others. */
export interface Workspace {
  readonly directory: string;
  readonly documents: string;
  readonly corpusName: string;
  readonly queriesFile: string;
  readonly qrelsFile?: string;
  readonly seed: number;
}

/** What the first job found out about the corpus. */
export interface Prepared {
  readonly fingerprint: Fingerprint;
  /** Texts of the distinct passages, in the order of `passages.f32`. */
  readonly texts: readonly string[];
  /** Names of the documents. */
  readonly documents: readonly string[];
  readonly characters: number;
}

/** The nearest ten of each query that is asked at a size, for each size of the corpus. */
export interface Truth {
  readonly sizes: readonly number[];
  /** [size][query][rank] */
  readonly distances: readonly (readonly (readonly number[])[])[];
}

export const files = {
  prepared: 'prepared.json',
  passages: 'passages.f32',
  queries: 'queries.f32',
  grown: 'grown.f32',
  truth: 'truth.json',
} as const;

export async function readJson<T>({ directory }: Workspace, name: string): Promise<T> {
  return JSON.parse(await readFile(join(directory, name), 'utf8')) as T;
}

export async function writeJson({ directory }: Workspace, name: string, value: unknown): Promise<void> {
  await writeFile(join(directory, name), JSON.stringify(value));
}

/** Writes vectors as raw 32-bit floats. */
export async function writeVectors({ directory }: Workspace, name: string, { data }: Vectors): Promise<void> {
  await writeFile(join(directory, name), new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

/** Reads vectors `from` (included) to `to` (not included); only these come into memory. */
export async function readVectors(
  { directory }: Workspace,
  name: string,
  dimensions: number,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): Promise<Vectors> {
  const file = await open(join(directory, name));
  try {
    const width = dimensions * Float32Array.BYTES_PER_ELEMENT;
    const last = Math.min(to, (await file.stat()).size / width);
    const data = new Float32Array(Math.max(0, last - from) * dimensions);
    const bytes = new Uint8Array(data.buffer);
    let done = 0;
    while (done < bytes.length) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, from * width + done);
      if (bytesRead === 0) throw new RangeError(`${name} is shorter than it says`);
      done += bytesRead;
    }
    return { dimensions, data };
  } finally {
    await file.close();
  }
}
