import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import type { Corpus } from '../corpus.js';
import { SearchError } from '../errors.js';
import type { Log } from '../log.js';
import { Catalog } from './catalog.js';
import { CatalogChanges } from './catalog-changes.js';
import { connect } from './connect.js';
import { applicationId, migrations } from './schema.js';

export interface CatalogIdentity {
  readonly model: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly corpus: Corpus;
}

export interface OpenCatalogOptions extends CatalogIdentity {
  readonly path: string;
  /** Only the holder of the writer lock creates, migrates, adopts and sets aside. */
  readonly writer: boolean;
  /** Start anew whatever the file looks like: it was found damaged while in use. @default false */
  readonly discard?: boolean;
  readonly log: Log;
}

/** The file is not a catalog, or a damaged one. */
export class CatalogDamaged extends Error {
  override readonly name = 'CatalogDamaged';
}

/** There is no catalog yet: another process is about to make it. */
export class BeingMade extends SearchError {
  constructor() {
    super('index_unavailable', 'Another process is about to make the index. Try again in a moment.', {
      retryable: true,
    });
  }
}

/**
 * Opens the catalog. The writer makes a new one where none is, and where it is damaged: the old file is set aside
 * then, with a log line.
 *
 * @throws {SearchError} `index_newer`, `index_foreign`; `index_unavailable` when a follower finds an older one, or,
 * as {@link BeingMade}, none yet.
 */
export async function openCatalog(options: OpenCatalogOptions): Promise<Catalog> {
  const { path, writer, log } = options;
  if (writer && options.discard === true) setAside(path);
  if (!writer) return openChecked(options);
  try {
    return await openChecked(options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const aside = setAside(path);
    log('warn', `The catalog was damaged (${(error as Error).message}); it is rebuilt from the documents.`, {
      aside,
    });
    return openChecked(options);
  }
}

/** SQLite, or our own check, says that the file's content is not what it should be. */
export function isDamage(error: unknown): boolean {
  if (error instanceof CatalogDamaged) return true;
  const code = String((error as { code?: unknown } | null)?.code);
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
}

async function openChecked(options: OpenCatalogOptions): Promise<Catalog> {
  const { path, writer, corpus } = options;
  if (!writer && !existsSync(path)) throw new BeingMade();
  const db = connect(path, { fileMustExist: !writer });
  try {
    prepareSchema(db, options);
    const catalog = new Catalog(db);
    checkIdentity(catalog, options);
    if (writer) {
      if (catalog.get('closed_cleanly') === 'no') await quickCheck(path);
      new CatalogChanges(db).set({
        closed_cleanly: 'no',
        corpus_directory: corpus.directory,
        corpus_name: corpus.name,
      });
    }
    return catalog;
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepareSchema(
  db: Database.Database,
  { path, writer, model, fingerprint, dimensions, corpus }: OpenCatalogOptions,
): void {
  const version = db.pragma('user_version', { simple: true }) as number;
  const application = db.pragma('application_id', { simple: true }) as number;
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number;
  const fresh = version === 0 && tables === 0;
  if (!fresh && application !== applicationId) throw new CatalogDamaged("it is another program's database");
  if (version > migrations.length) {
    throw new SearchError(
      'index_newer',
      `The index ${path} has schema version ${version}; this Kettle knows ${migrations.length}. Use the newer Kettle, or another index folder.`,
    );
  }
  if (version === migrations.length) return;
  if (!writer && fresh) throw new BeingMade();
  if (!writer) {
    throw new SearchError(
      'index_unavailable',
      `A process of an older Kettle has the index ${path} open. End it: the index is brought up to date then.`,
      { retryable: true },
    );
  }
  db.transaction(() => {
    for (const migration of migrations.slice(version)) db.exec(migration);
    db.pragma(`user_version = ${migrations.length}`);
    db.pragma(`application_id = ${applicationId}`);
    if (!fresh) return;
    const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
    for (const [key, value] of Object.entries({
      model,
      fingerprint,
      dimensions: String(dimensions),
      corpus_id: corpus.id,
      index_id: randomBytes(6).toString('hex'),
      corpus_name: corpus.name,
      corpus_directory: corpus.directory,
    })) {
      insert.run(key, value);
    }
  })();
}

function checkIdentity(
  catalog: Catalog,
  { fingerprint, dimensions, corpus, writer, log }: OpenCatalogOptions,
): void {
  if (catalog.get('fingerprint') !== fingerprint || catalog.get('dimensions') !== String(dimensions)) {
    throw new CatalogDamaged('it was made for another embedding model');
  }
  const former = catalog.get('corpus_directory');
  if (former === undefined) throw new CatalogDamaged('it does not say which folder it describes');
  if (former !== corpus.directory) {
    if (existsSync(former)) {
      throw new SearchError(
        'index_foreign',
        `The index folder holds the index of ${former}, not of ${corpus.directory}. Use another index folder for each corpus.`,
      );
    }
    if (writer)
      log('info', `The corpus folder moved from ${former} to ${corpus.directory}; its index is taken over.`);
  }
}

/** After an unclean end; in the background, because it reads the whole file. */
async function quickCheck(path: string): Promise<void> {
  const worker = new Worker(new URL('./check-worker.js', import.meta.url), { workerData: path });
  try {
    const [result] = await once(worker, 'message');
    if (result !== 'ok') throw new CatalogDamaged(String(result));
  } finally {
    await worker.terminate();
  }
}

/** Keeps the damaged file for whoever wants to look at it; an older one gives way. */
function setAside(path: string): string {
  const aside = `${path}.damaged`;
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(aside + suffix, { force: true, recursive: true });
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return aside;
}

/** Tells whether the file at `path` is another one than before. */
export function fileIdentity(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? '' : `${stats.dev}.${stats.ino}`;
}
