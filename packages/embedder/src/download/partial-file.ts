import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

const inUse = '.downloading';
const interrupted = '.partial';
/** Longer names don't fit into a file system's 255 bytes. */
const longestEtag = 80;

/**
 * The first bytes of a file that is being downloaded: `<name>.<ETag in base64url>.<uuid>.downloading` while in
 * use, `<name>.<ETag>.partial` after an interruption. It is taken and given back by renaming, which only one of
 * several processes can do, so that no two of them write into one file.
 */
export class PartialFile {
  readonly #target: string;
  #path: string;
  /** ETag of the version that these bytes are of; empty when they can't be added to. */
  readonly etag: string;
  /** Bytes that are here. */
  size: number;

  private constructor(target: string, file: string, etag: string, size: number) {
    this.#target = target;
    this.#path = file;
    this.etag = etag;
    this.size = size;
  }

  /** An empty file for `target`, whose content has this ETag. */
  static async create(target: string, etag: string): Promise<PartialFile> {
    await mkdir(path.dirname(target), { recursive: true });
    const kept = etag.startsWith('"') && etag.length <= longestEtag ? etag : '';
    const file = nameInUse(target, kept);
    await (await open(file, 'wx')).close();
    return new PartialFile(target, file, kept, 0);
  }

  /**
   * Takes what an earlier attempt left of `target`. A file in use that nobody wrote to for `abandonedAfter`
   * milliseconds belonged to a process that was killed, and is taken too.
   */
  static async take(target: string, abandonedAfter: number): Promise<PartialFile | undefined> {
    const directory = path.dirname(target);
    const names = await readdir(directory).catch(() => []);
    for (const name of names.filter((entry) => entry.startsWith(`${path.basename(target)}.`))) {
      const etag = etagOf(name);
      const found = path.join(directory, name);
      if (etag === undefined) continue;
      try {
        const { mtimeMs, size } = await stat(found);
        if (name.endsWith(inUse) && Date.now() - mtimeMs < abandonedAfter) continue;
        const mine = nameInUse(target, etag);
        await rename(found, mine);
        if (etag !== '' && size > 0) return new PartialFile(target, mine, etag, size);
        await rm(mine, { force: true });
      } catch (error) {
        // Another process was quicker.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    return undefined;
  }

  get path(): string {
    return this.#path;
  }

  /** Opens the file to write after the bytes that are here. */
  append(): Promise<FileHandle> {
    return open(this.#path, 'a');
  }

  /** Puts the finished file in its place. */
  async finish(): Promise<void> {
    await rename(this.#path, this.#target);
  }

  /** Leaves the bytes to a later attempt, where that can use them. */
  async leave(): Promise<void> {
    if (this.etag === '' || this.size === 0) return this.discard();
    await rename(this.#path, `${this.#target}.${encode(this.etag)}${interrupted}`);
  }

  async discard(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

function nameInUse(target: string, etag: string): string {
  return `${target}.${encode(etag)}.${randomUUID()}${inUse}`;
}

function encode(etag: string): string {
  return Buffer.from(etag).toString('base64url');
}

/** The ETag in the name of a partial file, or undefined for any other file. */
function etagOf(name: string): string | undefined {
  const match = /\.([\w-]*)(?:\.[\da-f-]{36}\.downloading|\.partial)$/.exec(name);
  return match ? Buffer.from(match[1]!, 'base64url').toString() : undefined;
}
