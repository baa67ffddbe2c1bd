import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileType, fileTypeOf } from './file-types.js';
import { type FoundFile, foundFile, maxFileBytes, tooLarge } from './walk-folder.js';

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
  // Not blocking: opening a named pipe would wait for its writer for ever.
  const handle = await open(
    join(directory, name),
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
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
    const hash = createHash('sha256').update(bytes).digest('hex');
    return { file: foundFile(name, after), type, hash, ...decoded };
  } finally {
    await handle.close();
  }
}
