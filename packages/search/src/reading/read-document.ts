import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { sniffedBytes } from './decode-text.js';
import { type FileType, fileTypeOf } from './file-types.js';
import { type FoundFile, foundFile, maxFileBytes, tooLarge } from './walk-folder.js';

const hashedAtOnce = 1024 * 1024;

export interface ReadDocument {
  readonly file: FoundFile;
  readonly type: FileType;
  readonly text: string;
  /** SHA-256 of the file's bytes, in hex. */
  readonly hash: string;
  readonly warning?: string;
}

/** The file is there, but is no document; `message` says why. */
export class NotADocument extends Error {
  override readonly name = 'NotADocument';
}

/** Someone wrote the file while it was read. */
export class FileInFlux extends Error {
  override readonly name = 'FileInFlux';
}

/**
 * Reads one file whole. Symbolic links are refused.
 *
 * @throws {NotADocument} for binary, too large or unsupported files.
 * @throws {FileInFlux} when the file changed meanwhile: what was read may be half of one state, half of another.
 */
export async function readDocument(directory: string, name: string): Promise<ReadDocument> {
  const type = fileTypeOf(name);
  if (type === undefined) throw new NotADocument('unsupported type');
  const handle = await openFile(directory, name);
  try {
    const before = await handle.stat({ bigint: true });
    if (!before.isFile()) throw new NotADocument('not a regular file');
    if (before.size > maxFileBytes) throw new NotADocument(tooLarge(Number(before.size)));
    const bytes = await handle.readFile();
    const after = await handle.stat({ bigint: true });
    if (
      before.mtimeNs !== after.mtimeNs ||
      before.ctimeNs !== after.ctimeNs ||
      bytes.length !== Number(after.size)
    ) {
      throw new FileInFlux(`${name} changed while it was read.`);
    }
    const decoded = type.read(bytes);
    if (decoded === undefined) throw new NotADocument('binary content');
    return { file: foundFile(name, after), type, hash: await hashOf(bytes), ...decoded };
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
      return fileTypeOf(name)?.read(buffer.subarray(0, bytesRead)) !== undefined;
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
    if (from > 0) await new Promise((resolve) => setImmediate(resolve));
    hash.update(bytes.subarray(from, from + hashedAtOnce));
  }
  return hash.digest('hex');
}
