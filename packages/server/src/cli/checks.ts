import { access, constants, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Corpus, inspectIndexes } from '@kettle/search';
import { corpusOf } from '../app.js';
import type { Config } from '../config/config.js';
import { isFolder, nearestExisting } from '../config/paths.js';
import { counted } from '../text.js';
import { Problem } from './check.js';

/** The oldest Node that Kettle runs on. */
const oldestNode = [20, 19] as const;

export function checkNode(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return version;
  throw new Problem(`${version} is too old`, `Kettle needs Node ${oldestNode.join('.')} or newer.`);
}

/** The addon belongs to @kettle/search; this loads the very same one. */
export function checkSqlite(): string {
  try {
    const require = createRequire(import.meta.resolve('@kettle/search'));
    const Database = require('better-sqlite3');
    const db = new Database(':memory:');
    db.exec('CREATE VIRTUAL TABLE words USING fts5(text)');
    const { version } = db.prepare('SELECT sqlite_version() AS version').get();
    db.close();
    return `${version}, with full-text search`;
  } catch (error) {
    throw new Problem(
      (error as Error).message,
      'Install again with a C++ compiler at hand: `pnpm rebuild better-sqlite3`.',
    );
  }
}

export async function checkCorpus(config: Config): Promise<{ corpus: Corpus; text: string }> {
  const corpus = await corpusOf(config);
  const entries = await readdir(corpus.directory, { recursive: true, withFileTypes: true }).catch(
    (error: Error) => {
      throw new Problem(error.message, 'Make the folder and all in it readable for this user.');
    },
  );
  const files = entries.filter((entry) => entry.isFile()).length;
  if (files === 0)
    throw new Problem(`there is no file in ${corpus.directory}`, 'Put documents there, or set CORPUS_DIR.');
  return { corpus, text: `${corpus.name}, ${counted(files, 'file')} in ${corpus.directory}` };
}

/** The folder, or where it would be made, can be written. */
export async function checkIndexFolder(directory: string): Promise<string> {
  const existing = nearestExisting(directory);
  if (!isFolder(existing))
    throw new Problem(`${existing} is not a folder`, 'Set INDEX_DIR to another folder.');
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch {
    throw new Problem(
      `${existing} can't be written`,
      'Change its rights, or set INDEX_DIR to another folder.',
    );
  }
  return existing === directory ? directory : `${directory}, to be made`;
}

/** What is there can be used, and is this corpus's. */
export async function checkIndexes(directory: string, corpus: Corpus | undefined): Promise<string> {
  const indexes = await inspectIndexes(directory);
  for (const index of indexes) {
    if ('problem' in index) throw new Problem(index.problem, index.remedy);
    const theirs = index.corpus;
    if (corpus && theirs.id !== corpus.id && isFolder(theirs.directory))
      throw new Problem(
        `${index.directory} is the index of ${theirs.name} (${theirs.directory})`,
        'Set INDEX_DIR to another folder: each corpus needs its own.',
      );
  }
  return indexes.length === 0 ? 'none yet' : `${indexes.map(({ directory }) => directory).join(', ')}`;
}
