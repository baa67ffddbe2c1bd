import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { IndexedDocument } from '../catalog/document-table.js';
import type { DocumentContent, DocumentInfo } from '../document-info.js';
import { SearchError } from '../errors.js';
import { type Refusals, stands } from '../refusals.js';
import { fileTypeOf } from './file-types.js';
import { NotADocument } from './not-a-document.js';
import { FileInFlux, isDocument, type ReadDocument, readDocument } from './read-document.js';
import { similarNames } from './similar-names.js';
import { TookTooLong } from './took-too-long.js';
import { type FoundFile, foundFile, isGone, isIgnored, reasonOf, walkFolder } from './walk-folder.js';

/** What an index knows of the files of its folder, by name. */
export interface FolderKnowledge {
  readonly indexed: ReadonlyMap<string, IndexedDocument>;
  readonly refused: Refusals;
}

/** Files that are looked into at a time. */
const looksAtOnce = 32;

/**
 * The documents of the folder as it is now, sorted by name: all that `readFolderDocument` gives. What is not in the
 * index as it is now is looked into, for it may be binary, or not for us to read; what was refused is left out.
 */
export async function listFolder(directory: string, catalog: () => FolderKnowledge): Promise<DocumentInfo[]> {
  const { files } = await walkFolder(directory);
  const { indexed: known, refused } = catalog();
  const isKnown = (file: FoundFile) => known.get(file.name)?.stamp === file.stamp;
  const unknown = files.filter((file) => !isKnown(file));
  const unreadable = new Set<FoundFile>();
  for (let from = 0; from < unknown.length; from += looksAtOnce) {
    const look = async (file: FoundFile) => {
      const isRefused = refused.get(file.name)?.stamp === file.stamp;
      if (isRefused || !(await isDocument(directory, file.name))) unreadable.add(file);
    };
    await Promise.all(unknown.slice(from, from + looksAtOnce).map(look));
  }
  return files
    .filter((file) => !unreadable.has(file))
    .map((file) => {
      const passages = known.get(file.name)?.passages;
      return { ...describe(file), ...(passages !== undefined && { passages }) };
    });
}

export interface ReadFolderDocumentOptions {
  readonly directory: string;
  /** What is known to be no document, and why: it is not tried again, which may take long. */
  readonly refused: () => Refusals;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One document of the folder as it is now. A name whose letters are composed otherwise (NFC, NFD) is found too.
 *
 * @throws {SearchError} `document_not_found` with suggestions, `document_unreadable` or `folder_unavailable`.
 */
export async function readFolderDocument(
  name: string,
  options: ReadFolderDocumentOptions,
): Promise<DocumentContent> {
  const { directory, signal } = options;
  const direct = isDocumentName(name) ? await readIfThere(name, options) : undefined;
  signal?.throwIfAborted();
  if (direct !== undefined) return { ...describe(direct.file), text: direct.text };

  const names = (await walkFolder(directory, signal)).files.map((file) => file.name);
  const wanted = name.normalize('NFC');
  const same = names.find((candidate) => candidate !== name && candidate.normalize('NFC') === wanted);
  const found = same === undefined ? undefined : await readIfThere(same, options);
  if (found !== undefined) return { ...describe(found.file), text: found.text };

  const suggestions = similarNames(name, names);
  const hint =
    suggestions.length > 0
      ? ` Did you mean ${suggestions.map((suggestion) => `"${suggestion}"`).join(' or ')}?`
      : ' List the documents to see their names.';
  const shown = name.length > 200 ? `${name.slice(0, 200)}…` : name;
  throw new SearchError('document_not_found', `No document is called "${shown}".${hint}`, { suggestions });
}

function describe(file: FoundFile): DocumentInfo {
  const { mimeType } = fileTypeOf(file.name)!;
  return { name: file.name, size: file.size, modified: file.modified.toISOString(), mimeType };
}

/** Only names that `walkFolder` could give: relative, without `..`, hidden parts or unsupported types. */
function isDocumentName(name: string): boolean {
  if (name === '' || name.includes('\0') || (sep === '\\' && /[\\:]/.test(name))) return false;
  return name.split('/').every((part) => part !== '' && !isIgnored(part)) && fileTypeOf(name) !== undefined;
}

async function readIfThere(
  name: string,
  { directory, refused, signal }: ReadFolderDocumentOptions,
): Promise<ReadDocument | undefined> {
  const path = join(directory, name);
  const shown = `The document "${name}"`;
  try {
    // A folder on the way may be a symbolic link, which the listing does not follow.
    const expected = join(await realpath(directory), name);
    const real = await realpath(path);
    if (real.normalize('NFC') !== expected.normalize('NFC')) return undefined;
    const refusal = refused().get(name);
    if (refusal !== undefined && stands(refusal, foundFile(name, await lstat(path, { bigint: true })))) {
      throw new NotADocument(refusal.reason);
    }
    return await readDocument(directory, name, { ...(signal && { signal }), urgent: true });
  } catch (error) {
    signal?.throwIfAborted();
    if (isGone(error)) return undefined;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ELOOP' || code === 'ENAMETOOLONG' || code === 'EISDIR') return undefined;
    if (error instanceof FileInFlux) {
      throw new SearchError(
        'document_unreadable',
        `${shown} is being written right now. Ask again in a moment.`,
        {
          cause: error,
          retryable: true,
        },
      );
    }
    throw new SearchError('document_unreadable', `${shown} can't be shown: ${reasonOf(error)}.`, {
      cause: error,
      retryable: error instanceof TookTooLong,
    });
  }
}
