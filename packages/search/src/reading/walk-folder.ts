import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SearchError } from '../errors.js';
import type { FileNotice } from '../sync-report.js';
import { fileTypeOf } from './file-types.js';

/** A file that may be a document, as the folder lists it. */
export interface FoundFile {
  /** Path relative to the folder, with `/`. */
  readonly name: string;
  readonly size: number;
  readonly modified: Date;
  /** When the system noted a change of the file, Unix time in milliseconds: nobody can set it, unlike `modified`. */
  readonly changed: number;
  /** Changes whenever the file was written, replaced or moved, as far as the system tells. */
  readonly stamp: string;
}

export interface FolderListing {
  readonly files: readonly FoundFile[];
  /** Folders that were read, relative; the folder itself is the empty string. For watching. */
  readonly folders: readonly string[];
  readonly skipped: readonly FileNotice[];
  /** Files and folders (ending in `/`) the system refused to read: nothing is known about what they hold. */
  readonly failed: readonly FileNotice[];
  /** Number of the device the folder lives on: another one when a volume is not mounted. */
  readonly device: string;
}

/** Files that the system is asked about at a time: it works on a few side by side. */
const looksAtOnce = 32;

const ignoredFolders = new Set(['node_modules']);

/** Files and folders that are passed over without a word. */
export function isIgnored(name: string): boolean {
  return name.startsWith('.') || ignoredFolders.has(name);
}

/**
 * Lists the documents of a folder and its subfolders, sorted by name. Symbolic links are not followed, so no link
 * leads out of the folder, round in a circle, or to a second copy of a document.
 *
 * @throws {SearchError} `folder_unavailable` when the folder itself can't be read.
 */
export async function walkFolder(directory: string, signal?: AbortSignal): Promise<FolderListing> {
  const files: FoundFile[] = [];
  const folders: string[] = [];
  const skipped: FileNotice[] = [];
  const failed: FileNotice[] = [];
  const device = await deviceOf(directory);
  const waiting = [''];
  const note = (name: string, error: unknown) => {
    if (!isGone(error)) failed.push({ name, reason: reasonOf(error) });
    // Node reads a name as UTF-8: one that is not comes out changed, and leads to nothing.
    else if (name.includes('\ufffd')) skipped.push({ name, reason: 'its name is not UTF-8' });
  };

  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal?.throwIfAborted();
    const prefix = folder === '' ? '' : `${folder}/`;
    let entries: Dirent[];
    try {
      entries = await readdir(join(directory, folder), { withFileTypes: true });
    } catch (error) {
      if (folder === '') throw folderUnavailable(directory, error);
      note(prefix, error);
      continue;
    }
    folders.push(folder);
    const candidates: string[] = [];
    for (const entry of entries) {
      if (isIgnored(entry.name)) continue;
      const name = prefix + entry.name;
      if (entry.isSymbolicLink()) skipped.push({ name, reason: 'symbolic link' });
      else if (entry.isDirectory()) waiting.push(name);
      else if (!entry.isFile()) skipped.push({ name, reason: 'not a regular file' });
      else if (fileTypeOf(name) === undefined) skipped.push({ name, reason: 'unsupported type' });
      else candidates.push(name);
    }
    const look = async (name: string) => {
      try {
        const stats = await lstat(join(directory, name), { bigint: true });
        if (!stats.isFile()) return;
        const { maxBytes } = fileTypeOf(name)!;
        if (stats.size > maxBytes) skipped.push({ name, reason: tooLarge(Number(stats.size), maxBytes) });
        else files.push(foundFile(name, stats));
      } catch (error) {
        note(name, error);
      }
    };
    for (let from = 0; from < candidates.length; from += looksAtOnce) {
      signal?.throwIfAborted();
      await Promise.all(candidates.slice(from, from + looksAtOnce).map(look));
    }
  }
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, folders, skipped, failed, device };
}

export function foundFile(name: string, stats: BigIntStats): FoundFile {
  return {
    name,
    size: Number(stats.size),
    modified: new Date(Number(stats.mtimeMs)),
    // File systems that do not note it say 0.
    changed: Number(stats.ctimeMs || stats.mtimeMs),
    stamp: `${stats.size}.${stats.mtimeNs}.${stats.ctimeNs}.${stats.ino}`,
  };
}

export function tooLarge(size: number, maxBytes: number): string {
  return `too large: ${(size / 1048576).toFixed(1)} MiB, at most ${maxBytes / 1048576} MiB`;
}

export function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'no right to read it';
  return code === undefined ? message : `can't be read (${code})`;
}

async function deviceOf(directory: string): Promise<string> {
  try {
    return String((await lstat(directory, { bigint: true })).dev);
  } catch (error) {
    throw folderUnavailable(directory, error);
  }
}

function folderUnavailable(directory: string, cause: unknown): SearchError {
  const why = isGone(cause) ? 'is not there' : `can't be read: ${reasonOf(cause)}`;
  return new SearchError(
    'folder_unavailable',
    `The corpus folder ${directory} ${why}. The index stays as it was; put the folder back or check its rights.`,
    { cause, retryable: true },
  );
}
