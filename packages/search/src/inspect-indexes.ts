import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { applicationId, migrations } from './catalog/schema.js';
import { WriterLock } from './catalog/writer-lock.js';
import type { IndexSummary, UnreadableIndex } from './index-summary.js';
import { isGone } from './reading/walk-folder.js';

/**
 * What the folder of indexes holds: one entry for each model, most recent first. Safe while other processes
 * use them: the one thing it takes is the writer lock, for a moment, to see whether another process has it.
 * A folder that does not exist gives an empty list.
 */
export async function inspectIndexes(directory: string): Promise<(IndexSummary | UnreadableIndex)[]> {
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
  const found: (IndexSummary | UnreadableIndex)[] = [];
  for (const name of names) {
    const folder = join(directory, name);
    if (existsSync(join(folder, 'catalog.sqlite'))) found.push(await inspect(folder));
  }
  const synced = (entry: IndexSummary | UnreadableIndex) => ('lastSyncAt' in entry && entry.lastSyncAt) || '';
  return found.sort((a, b) => (synced(a) < synced(b) ? 1 : -1));
}

async function inspect(directory: string): Promise<IndexSummary | UnreadableIndex> {
  const path = join(directory, 'catalog.sqlite');
  try {
    const db = new Database(path, { fileMustExist: true, timeout: 1000 });
    try {
      const version = db.pragma('user_version', { simple: true }) as number;
      if (db.pragma('application_id', { simple: true }) !== applicationId) {
        return { directory, problem: `${path} is not a catalog`, remedy: 'The next start sets it aside.' };
      }
      if (version !== migrations.length) {
        return {
          directory,
          problem: `${path} has schema version ${version}; this Kettle knows ${migrations.length}`,
          remedy:
            version < migrations.length
              ? 'The next start brings it up to date.'
              : 'Use the newer Kettle, or another index folder.',
        };
      }
      return await summary(db, directory);
    } finally {
      db.close();
    }
  } catch (error) {
    const { message } = error as Error;
    return {
      directory,
      problem: `${path} can't be read (${message})`,
      remedy: 'If it is damaged, the next start makes it anew.',
    };
  }
}

async function summary(db: Database.Database, directory: string): Promise<IndexSummary> {
  const one = (sql: string) => db.prepare(sql).pluck().get() as number;
  const rows = db.prepare('SELECT key, value FROM meta').all() as { key: string; value: string }[];
  const meta = new Map(rows.map(({ key, value }) => [key, value]));
  const lastSyncAt = meta.get('synced_at');
  const lastChange = db
    .prepare("SELECT coalesce(max(revision), 0) FROM changes WHERE kind IN ('live', 'dead')")
    .pluck()
    .get() as number;
  const stores = db
    .prepare('SELECT backend, revision, saved_at AS savedAt FROM stores ORDER BY backend')
    .all() as {
    backend: string;
    revision: number;
    savedAt: string;
  }[];
  return {
    directory,
    model: meta.get('model') ?? '',
    fingerprint: meta.get('fingerprint') ?? '',
    dimensions: Number(meta.get('dimensions')),
    corpus: {
      id: meta.get('corpus_id') ?? '',
      name: meta.get('corpus_name') ?? '',
      directory: meta.get('corpus_directory') ?? '',
    },
    documents: one('SELECT count(*) FROM documents'),
    passages: one('SELECT coalesce(sum(passages), 0) FROM documents'),
    vectors: one('SELECT count(*) FROM contents WHERE uses > 0'),
    spareEmbeddings: one('SELECT count(*) FROM contents WHERE uses = 0'),
    ...(lastSyncAt !== undefined && { lastSyncAt }),
    catalogBytes: await bytesOf(
      directory,
      (name) => name.startsWith('catalog.sqlite') && !name.includes('damaged'),
    ),
    bytes: await bytesOf(directory),
    inUse: isLocked(directory),
    stores: stores.map(({ backend, revision, savedAt }) => ({
      backend,
      savedAt,
      level: revision >= lastChange,
    })),
  };
}

/** Where no lock can be held, for want of the right to write, no process of ours writes. */
function isLocked(directory: string): boolean {
  try {
    const lock = WriterLock.acquire(directory);
    lock?.release();
    return lock === undefined;
  } catch {
    return false;
  }
}

async function bytesOf(directory: string, wanted: (name: string) => boolean = () => true): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(directory, { recursive: true })) {
    if (!wanted(name)) continue;
    try {
      const stats = await stat(join(directory, name));
      if (stats.isFile()) bytes += stats.size;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return bytes;
}
