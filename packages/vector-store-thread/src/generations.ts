import { createHash, randomBytes } from 'node:crypto';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Fingerprint } from '@kettle/vector-store';
import { VectorStoreError } from '@kettle/vector-store';
import type { Graph } from './graph.js';

// A folder holds `index.json`, which names one generation, and that generation's files. Files of a
// generation are written under a name never used before and become the index when `index.json` is replaced, in
// one atomic step. So at any moment, whoever is killed, `index.json` names files that belong together.
const metaFile = 'index.json';
const formatVersion = 1;
const generationFile = /^[a-z]+-(\d+)-[0-9a-f]+\.(?:bin|json)$/;
const day = 24 * 60 * 60 * 1000;

/** The contents of `index.json`. */
export interface Meta {
  readonly formatVersion: typeof formatVersion;
  readonly fingerprint: Fingerprint;
  readonly m: number;
  readonly efConstruction: number;
  /** The library that wrote the graph. */
  readonly engine: string;
  /** Number of records. */
  readonly count: number;
  /** The graph's files by their names, and `ids`: the id under each label, one a line. */
  readonly files: Readonly<Record<string, StoredFile>>;
}

export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface GenerationContent extends Omit<Meta, 'formatVersion' | 'files'> {
  /** Id under each label, '' where it was deleted. */
  readonly ids: readonly string[];
  readonly files: Graph['files'];
}

/** Something about stored data that makes it useless. The index is derived, so it is built anew. */
export class Unusable extends Error {}

export interface Generation {
  readonly meta: Meta;
  /** Paths of the graph's files by their names. Each has been checked to be as it was written. */
  readonly paths: Readonly<Record<string, string>>;
  /** Id under each label, '' where it was deleted. */
  readonly ids: readonly string[];
}

/**
 * What `use` makes of the folder's current generation; undefined where there is none. When another process
 * replaces the generation meanwhile, it is done again with the new one.
 *
 * @throws {Unusable} when the generation is damaged, of another format, or `use` fails.
 * @throws {VectorStoreError} when `use` throws one.
 */
export async function readGeneration<Result>(
  directory: string,
  use: (generation: Generation) => Promise<Result>,
): Promise<Result | undefined> {
  for (let attempt = 1; ; attempt++) {
    const meta = await readMeta(directory);
    if (!meta) return undefined;
    try {
      const paths: Record<string, string> = {};
      for (const [kind, stored] of Object.entries(meta.files)) paths[kind] = await checked(directory, stored);
      const ids = (await readFile(paths.ids!, 'utf8')).split('\n').slice(0, -1);
      return await use({ meta, paths, ids });
    } catch (error) {
      const current = await currentFiles(directory);
      if (attempt < 5 && !current.includes(meta.files.ids!.name)) continue;
      if (error instanceof Unusable || VectorStoreError.isInstance(error)) throw error;
      throw new Unusable(`it can't be loaded: ${describe(error)}`, { cause: error });
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
      // Clutter is no failure.
      await removeOthers(directory, former).catch(() => {});
      // A process that can't see ours (in another container) may have taken our files for a dead one's.
      if (await isConsistent(directory)) return meta;
      if (attempt === 3) {
        throw new Error(`files vanish from ${directory}: does another program clean it up?`);
      }
    } catch (error) {
      await discard(directory, token);
      throw storageError(error, directory);
    }
  }
}

/** Removes what processes that died left behind, and the `former` generation's files. */
export async function removeOthers(directory: string, former: readonly string[] = []): Promise<void> {
  for (const name of await readdir(directory)) {
    const file = join(directory, name);
    if (!former.includes(name) && !(await isAbandoned(file, name))) continue;
    // In this order: a process that was found dead has made its generation the current one by now, or never will.
    if ((await currentFiles(directory)).includes(name)) continue;
    await rm(file, { force: true });
  }
}

async function writeFiles(directory: string, token: string, content: GenerationContent): Promise<Meta> {
  await makeFolder(directory);
  const { files: graphFiles, ids, ...description } = content;
  const writers: Graph['files'] = {
    ...graphFiles,
    ids: (path) => writeFile(path, ids.map((id) => `${id}\n`).join('')),
  };
  const files: Record<string, StoredFile> = {};
  for (const [kind, write] of Object.entries(writers)) {
    files[kind] = await sealed(directory, `${kind}-${token}.bin`, write);
  }
  const meta: Meta = { formatVersion, ...description, files };
  const temporaryMeta = `meta-${token}.json`;
  await sealed(directory, temporaryMeta, (path) => writeFile(path, `${JSON.stringify(meta, null, 2)}\n`));
  await rename(join(directory, temporaryMeta), join(directory, metaFile));
  await syncDirectory(directory);
  return meta;
}

/** Node's own recursive `mkdir` never ends where the system takes no folder and says that there is none (`/proc`). */
async function makeFolder(path: string): Promise<void> {
  const unlessThere = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  };
  await mkdir(path).catch(async (error) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) return unlessThere(error);
    await makeFolder(dirname(path));
    await mkdir(path).catch(unlessThere);
  });
}

/** Removes the files of a generation that came to nothing. One that became current before something failed stays. */
async function discard(directory: string, token: string): Promise<void> {
  const current = await currentFiles(directory);
  const names = await readdir(directory).catch(() => []);
  await Promise.all(
    names
      .filter((name) => name.includes(token) && !current.includes(name))
      .map((name) => rm(join(directory, name), { force: true })),
  );
}

/** Fills a file, brings it to the disk, and says what is in it. */
async function sealed(
  directory: string,
  name: string,
  fill: (path: string) => Promise<void>,
): Promise<StoredFile> {
  const path = join(directory, name);
  await fill(path);
  const file = await open(path, 'r+');
  try {
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
  const names = Object.values(meta.files ?? {}).map((file) => file?.name);
  if (!meta.files?.ids || !names.every((name) => typeof name === 'string' && generationFile.test(name))) {
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
    return meta ? [metaFile, ...Object.values(meta.files).map(({ name }) => name)] : [];
  } catch {
    return [metaFile];
  }
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
