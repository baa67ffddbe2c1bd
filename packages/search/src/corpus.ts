import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';

/** The folder that is indexed, and what to call it. */
export interface Corpus {
  /** Shown to people and models. */
  readonly name: string;
  /** One or two sentences on what the documents are, for a model to read; empty where nobody has said. */
  readonly description: string;
  /** Absolute path of the folder that holds the documents, symbolic links resolved. */
  readonly directory: string;
  /** Short and stable for this place: 3 to 60 characters from [a-z0-9-]. */
  readonly id: string;
}

export interface CorpusOverrides {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export type CorpusErrorCode =
  /** There is no such folder. */
  | 'not_found'
  /** The path leads to something else than a folder. */
  | 'not_a_folder'
  /** The system refuses to read the folder or its `corpus.json`. */
  | 'unreadable'
  /** `corpus.json` is not what it should be. */
  | 'invalid';

/** Why a folder can't be used as a corpus. */
export class CorpusError extends Error {
  override readonly name = 'CorpusError';
  readonly code: CorpusErrorCode;

  constructor(code: CorpusErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const descriptionFile = 'corpus.json';
const keys = new Set(['name', 'description', 'documents']);

/**
 * Reads what a folder says about itself in `corpus.json`: `{"name", "description", "documents": "subfolder"}`, each
 * optional. Without the file the folder itself holds the documents and gives the name.
 *
 * @throws {CorpusError} `not_found`, `not_a_folder`, `unreadable` or `invalid`.
 */
export async function readCorpus(directory: string, overrides: CorpusOverrides = {}): Promise<Corpus> {
  const root = await realFolder(resolve(directory));
  const described = await readDescription(root);
  const documents =
    described.documents === undefined ? root : await realFolder(resolve(root, described.documents));
  if (documents !== root && !documents.startsWith(root.endsWith(sep) ? root : root + sep)) {
    throw new CorpusError(
      'invalid',
      `"documents" in ${join(root, descriptionFile)} is "${described.documents}", which leads out of the folder. Name a folder inside it.`,
    );
  }
  const name = overrides.name ?? described.name ?? (basename(root) || root);
  return Object.freeze({
    name,
    description: overrides.description ?? described.description ?? '',
    directory: documents,
    id: corpusId(basename(root), documents),
  });
}

async function realFolder(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new CorpusError('not_found', `There is no folder ${path}. Name a folder that exists.`, {
        cause: error,
      });
    }
    throw new CorpusError('unreadable', `The folder ${path} can't be read (${code}). Check its rights.`, {
      cause: error,
    });
  }
  throw new CorpusError('not_a_folder', `${path} is not a folder. Name the folder that holds the documents.`);
}

interface Description {
  name?: string;
  description?: string;
  documents?: string;
}

async function readDescription(root: string): Promise<Description> {
  const path = join(root, descriptionFile);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return {};
    // Where nothing in the folder may be read, the folder is to be mended.
    const closed = await stat(path).then(
      () => path,
      () => `The folder ${root}`,
    );
    throw new CorpusError('unreadable', `${closed} can't be read (${code}). Check its rights.`, {
      cause: error,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CorpusError('invalid', `${path} is not valid JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CorpusError(
      'invalid',
      `${path} must hold an object with "name", "description" and "documents".`,
    );
  }
  for (const [key, entry] of Object.entries(value)) {
    if (keys.has(key) && (typeof entry !== 'string' || entry.trim() === '')) {
      throw new CorpusError('invalid', `"${key}" in ${path} must be a text that is not blank.`);
    }
  }
  return value as Description;
}

/** From the folder, not from the name people give it: a new `CORPUS_NAME` is still the same index. */
function corpusId(folder: string, directory: string): string {
  const slug = folder
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  const place = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  return slug === '' ? `corpus-${place}` : `${slug}-${place}`;
}
