import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fingerprint } from '@kettle/vector-store';
import { VectorStoreError } from '@kettle/vector-store';
import { isWhole } from './graph-file.js';

// A folder holds `index.json`, which names one generation, and that generation's two files. Files of a
// generation are written under a name never used before and become the index when `index.json` is replaced, in
// one atomic step. So at any moment, whoever is killed, `index.json` names files that belong together.
const metaFile = 'index.json';
const formatVersion = 1;
const generationFile = /^(?:graph|ids|meta)-(\d+)-[0-9a-f]+\.(?:bin|txt|json)$/;
const day = 24 * 60 * 60 * 1000;

/** The contents of `index.json`. */
export interface Meta {
  readonly formatVersion: typeof formatVersion;
  readonly fingerprint: Fingerprint;
  readonly m: number;
  readonly efConstruction: number;
  /** Number of records. */
  readonly count: number;
  readonly graph: StoredFile;
  readonly ids: StoredFile;
}

export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface GenerationContent extends Pick<Meta, 'fingerprint' | 'm' | 'efConstruction' | 'count'> {
  /** Id under each label, '' where it was deleted. */
  readonly ids: readonly string[];
  writeGraph(file: string): Promise<void>;
}

/** Something about stored data that makes it useless. The index is derived, so it is built anew. */
export class Unusable extends Error {}

/**
 * The folder's current generation, its files checked against their hashes; undefined where there is none.
 *
 * @throws {Unusable} when it is damaged, or of another format.
 */
export async function readGeneration(
  directory: string,
): Promise<{ meta: Meta; graph: string; ids: string[] } | undefined> {
  for (let attempt = 1; ; attempt++) {
    const meta = await readMeta(directory);
    if (!meta) return undefined;
    try {
      const graph = await checked(directory, meta.graph);
      const ids = await checked(directory, meta.ids);
      return { meta, graph, ids: (await readFile(ids, 'utf8')).split('\n').slice(0, -1) };
    } catch (error) {
      // Another process may have replaced the generation between the two steps.
      if (attempt < 5 && (await currentGraph(directory)) !== meta.graph.name) continue;
      throw error instanceof Unusable ? error : new Unusable(describe(error), { cause: error });
    }
  }
}

/**
 * Makes `content` the folder's generation and gives the meta written. Whatever fails, the former one stays.
 *
 * @throws {VectorStoreError} `storage_full`, or `unavailable` for other failures to write.
 */
export async function writeGeneration(directory: string, content: GenerationContent): Promise<Meta> {
  for (let attempt = 1; ; attempt++) {
    const token = `${process.pid}-${randomBytes(8).toString('hex')}`;
    try {
      const former = await currentFiles(directory);
      const meta = await writeFiles(directory, token, content);
      await removeOthers(directory, former);
      // A process that can't see ours (in another container) may have taken our files for a dead one's.
      if (await isConsistent(directory)) return meta;
      if (attempt === 3) {
        throw new Error(`files vanish from ${directory}: does another program clean it up?`);
      }
    } catch (error) {
      await Promise.all(namesOf(token).map((name) => rm(join(directory, name), { force: true })));
      throw storageError(error, directory);
    }
  }
}

/** Removes what processes that died left behind. */
export async function removeOthers(directory: string, former: readonly string[] = []): Promise<void> {
  const current = new Set(await currentFiles(directory));
  for (const name of await readdir(directory)) {
    if (current.has(name)) continue;
    const file = join(directory, name);
    if (former.includes(name) || (await isAbandoned(file, name))) await rm(file, { force: true });
  }
}

async function writeFiles(directory: string, token: string, content: GenerationContent): Promise<Meta> {
  const [graphName, idsName, temporaryMeta] = namesOf(token);
  await mkdir(directory, { recursive: true });

  await content.writeGraph(join(directory, graphName));
  const graph = await sealed(directory, graphName, async (file) => {
    if (await isWhole(file)) return;
    throw new VectorStoreError(
      'storage_full',
      `The index file in ${directory} came out too short: free space on that disk and try again.`,
    );
  });
  const ids = await sealed(directory, idsName, (file) =>
    file.writeFile(content.ids.map((id) => `${id}\n`).join('')),
  );

  const { fingerprint, m, efConstruction, count } = content;
  const meta: Meta = { formatVersion, fingerprint, m, efConstruction, count, graph, ids };
  await sealed(directory, temporaryMeta, (file) => file.writeFile(`${JSON.stringify(meta, null, 2)}\n`));
  await rename(join(directory, temporaryMeta), join(directory, metaFile));
  await syncDirectory(directory);
  return meta;
}

function namesOf(token: string): [string, string, string] {
  return [`graph-${token}.bin`, `ids-${token}.txt`, `meta-${token}.json`];
}

/** Fills or checks a file, brings it to the disk, and says what is in it. */
async function sealed(
  directory: string,
  name: string,
  fill: (file: FileHandle) => Promise<void>,
): Promise<StoredFile> {
  const file = await open(join(directory, name), constants.O_RDWR | constants.O_CREAT);
  try {
    await fill(file);
    await file.sync();
    return { name, ...(await digest(file)) };
  } finally {
    await file.close();
  }
}

async function digest(file: FileHandle): Promise<Omit<StoredFile, 'name'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1 << 20 })) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function readMeta(directory: string): Promise<Meta | undefined> {
  let text: string;
  try {
    text = await readFile(join(directory, metaFile), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  let meta: Meta;
  try {
    meta = JSON.parse(text);
  } catch {
    throw new Unusable(`${metaFile} is damaged`);
  }
  if (meta?.formatVersion !== formatVersion) {
    throw new Unusable(`${metaFile} has format ${meta?.formatVersion}, expected ${formatVersion}`);
  }
  const names = [meta.graph?.name, meta.ids?.name];
  if (!names.every((name) => typeof name === 'string' && generationFile.test(name))) {
    throw new Unusable(`${metaFile} is damaged`);
  }
  return meta;
}

/** The path of a stored file whose contents are as they were written. */
async function checked(directory: string, stored: StoredFile): Promise<string> {
  const path = join(directory, stored.name);
  const file = await open(path);
  try {
    const { bytes, sha256 } = await digest(file);
    if (bytes !== stored.bytes || sha256 !== stored.sha256) throw new Unusable(`${stored.name} is damaged`);
    return path;
  } finally {
    await file.close();
  }
}

/** Names of the files that make up the current generation, as far as it can be read. */
async function currentFiles(directory: string): Promise<string[]> {
  try {
    const meta = await readMeta(directory);
    return meta ? [metaFile, meta.graph.name, meta.ids.name] : [];
  } catch {
    return [metaFile];
  }
}

async function currentGraph(directory: string): Promise<string | undefined> {
  return (await currentFiles(directory))[1];
}

async function isConsistent(directory: string): Promise<boolean> {
  const present = new Set(await readdir(directory));
  return (await currentFiles(directory)).every((name) => present.has(name));
}

/** A generation that isn't current is being written while its process lives (names carry the process id). */
async function isAbandoned(file: string, name: string): Promise<boolean> {
  const owner = generationFile.exec(name)?.[1];
  if (owner === undefined) return false;
  try {
    process.kill(Number(owner), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  // The id may have gone to another process since.
  const age = await stat(file).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return age > day;
}

async function syncDirectory(directory: string): Promise<void> {
  // Windows can't open folders; there, the rename itself is all that can be had.
  if (process.platform === 'win32') return;
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function storageError(error: unknown, directory: string): VectorStoreError {
  if (error instanceof VectorStoreError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
    return new VectorStoreError(
      'storage_full',
      `No space left for the index in ${directory}: free some and try again.`,
      { cause: error },
    );
  }
  return new VectorStoreError('unavailable', `Can't write the index to ${directory}: ${describe(error)}`, {
    cause: error,
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
