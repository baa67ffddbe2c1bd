import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { turns } from '../turns.js';
import { sniffedBytes } from './decode-text.js';
import { type FileType, fileTypeOf, type ReadOptions } from './file-types.js';
import { NotADocument } from './not-a-document.js';
import { type FoundFile, foundFile, tooLarge } from './walk-folder.js';

const hashedAtOnce = 1024 * 1024;

export interface ReadDocument {
  readonly file: FoundFile;
  readonly type: FileType;
  readonly text: string;
  /** SHA-256 of the file's bytes, in hex. */
  readonly hash: string;
  readonly warning?: string;
}

/** Someone wrote the file while it was read. */
export class FileInFlux extends Error {
  override readonly name = 'FileInFlux';
}

/**
 * Reads one file whole. Symbolic links are refused.
 *
 * @throws {NotADocument} for binary, too large or unsupported files, and for those that give no text.
 * @throws {TookTooLong} when reading it was given up.
 * @throws {FileInFlux} when the file changed meanwhile: what was read may be half of one state, half of another.
 */
export async function readDocument(
  directory: string,
  name: string,
  options?: ReadOptions,
): Promise<ReadDocument> {
  const type = fileTypeOf(name);
  if (type === undefined) throw new NotADocument('unsupported type');
  const { file, bytes } = await readFile(directory, name, type.maxBytes);
  const decoded = await type.read(bytes, options);
  if (decoded === undefined) throw new NotADocument('binary content');
  return { file, type, hash: await hashOf(bytes), ...decoded };
}

async function readFile(
  directory: string,
  name: string,
  maxBytes: number,
): Promise<{ file: FoundFile; bytes: Buffer }> {
  const handle = await openFile(directory, name);
  try {
    const before = await handle.stat({ bigint: true });
    if (!before.isFile()) throw new NotADocument('not a regular file');
    if (before.size > maxBytes) throw new NotADocument(tooLarge(Number(before.size), maxBytes));
    const bytes = await handle.readFile();
    const after = await handle.stat({ bigint: true });
    if (
      before.mtimeNs !== after.mtimeNs ||
      before.ctimeNs !== after.ctimeNs ||
      bytes.length !== Number(after.size)
    ) {
      throw new FileInFlux(`${name} changed while it was read.`);
    }
    return { file: foundFile(name, after), bytes };
  } finally {
    await handle.close();
  }
}

/** Whether a file can be opened and begins like a document of its type. */
export async function isDocument(directory: string, name: string): Promise<boolean> {
  try {
    const handle = await openFile(directory, name);
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0);
      return fileTypeOf(name)?.beginsLike(buffer.subarray(0, bytesRead)) ?? false;
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}

/** Not blocking: opening a named pipe would wait for its writer for ever. */
function openFile(directory: string, name: string): Promise<FileHandle> {
  return open(
    join(directory, name),
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
}

/** Piece by piece, because a large file would keep the event loop for tens of milliseconds. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < bytes.length; from += hashedAtOnce) {
    if (turns.isDue) await turns.take();
    hash.update(bytes.subarray(from, from + hashedAtOnce));
  }
  return hash.digest('hex');
}
