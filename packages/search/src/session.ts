import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Embedder } from '@kettle/embedder';
import { makeFolder } from '@kettle/file-lock';
import type { Catalog } from './catalog/catalog.js';
import { CatalogWriter } from './catalog/catalog-writer.js';
import { BeingMade, fileIdentity, openCatalog } from './catalog/open-catalog.js';
import { WriterLock } from './catalog/writer-lock.js';
import type { IndexProgress } from './index-status.js';
import type { Log } from './log.js';
import type { OpenIndexOptions } from './open-index-options.js';
import { defaultSearchMode } from './search-index.js';
import { SearchService } from './search-service.js';
import { StoreKeeper } from './store-keeper.js';

export interface SessionOptions {
  readonly index: OpenIndexOptions;
  readonly embedder: Embedder;
  /** The catalog was found damaged while in use: the writer makes a new one. */
  readonly discard: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IndexProgress) => void;
  readonly onStoreFailure: () => void;
  readonly log: Log;
}

const pollMilliseconds = 200;
/** Milliseconds after which it is told that another process does not get done. It is tried again all the same. */
const longestWait = 10_000;

/** What is open while an index works: the catalog, the lock where this process has it, the store. */
export class Session {
  readonly directory: string;
  readonly catalog: Catalog;
  readonly keeper: StoreKeeper;
  readonly service: SearchService;
  readonly #catalogFile: string;
  #lock: WriterLock | undefined;
  #writer: CatalogWriter | undefined;
  #dataVersion = -1;

  /**
   * Opens what the model's index folder holds. Waits a while where another process is about to make it.
   *
   * @throws {SearchError} `index_unavailable` when that one does not get done; others as from `openCatalog`.
   */
  static async open(options: SessionOptions): Promise<Session> {
    const { index, embedder, signal } = options;
    const directory = join(index.directory, folderName(embedder));
    await makeFolder(directory);
    const giveUpAt = performance.now() + longestWait;
    for (;;) {
      signal.throwIfAborted();
      const lock = WriterLock.acquire(directory);
      try {
        return new Session(
          options,
          directory,
          await openCatalogIn(directory, lock !== undefined, options),
          lock,
        );
      } catch (error) {
        lock?.release();
        if (!(error instanceof BeingMade) || performance.now() > giveUpAt) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pollMilliseconds));
    }
  }

  private constructor(
    { index, embedder, onProgress, onStoreFailure, log }: SessionOptions,
    directory: string,
    catalog: Catalog,
    lock: WriterLock | undefined,
  ) {
    this.directory = directory;
    this.catalog = catalog;
    this.#catalogFile = fileIdentity(catalog.path);
    this.#lock = lock;
    if (lock !== undefined) this.#writer = new CatalogWriter(catalog.path);
    const storeDirectory = join(directory, index.backend ?? 'store');
    const fingerprint = Object.freeze({
      model: embedder.fingerprint,
      dimensions: embedder.dimensions,
      metric: 'cosine' as const,
    });
    // Two indexes of one corpus may follow different states of it: each has vectors of its own on a shared server.
    const corpusId = [catalog.get('corpus_id') ?? index.corpus.id, catalog.get('index_id') ?? '0'].join('-');
    this.keeper = new StoreKeeper({
      catalog,
      open: (signal) => index.openStore({ fingerprint, directory: storeDirectory, corpusId, signal }),
      directory: storeDirectory,
      writer: () => this.#writer,
      onProgress,
      onFailure: onStoreFailure,
      log,
    });
    this.service = new SearchService(embedder, catalog, this.keeper, index.mode ?? defaultSearchMode);
  }

  get isWriter(): boolean {
    return this.#writer !== undefined;
  }

  /** Writes the catalog, in the one process that may. */
  get writer(): CatalogWriter | undefined {
    return this.#writer;
  }

  /** The catalog was level with the folder at least once: it can be searched. */
  get isComplete(): boolean {
    return this.catalog.get('synced_at') !== undefined;
  }

  /** Takes the place of a writer that has ended, unless that one left another catalog than this. */
  async tryPromote(): Promise<boolean> {
    const lock = WriterLock.acquire(this.directory);
    if (lock === undefined) return false;
    if (this.isReplaced()) {
      lock.release();
      return false;
    }
    const writer = new CatalogWriter(this.catalog.path);
    try {
      await writer.set({ closed_cleanly: 'no' });
    } catch (error) {
      await writer.close();
      lock.release();
      throw error;
    }
    this.#lock = lock;
    this.#writer = writer;
    return true;
  }

  /** Another process has written since the last time this was asked. */
  hasNews(): boolean {
    const version = this.catalog.dataVersion();
    if (version === this.#dataVersion) return false;
    this.#dataVersion = version;
    return true;
  }

  /** The catalog was removed, or another one is in its place. */
  isReplaced(): boolean {
    return fileIdentity(this.catalog.path) !== this.#catalogFile;
  }

  async close(): Promise<void> {
    try {
      await this.keeper.close();
      await this.#writer?.set({ closed_cleanly: 'yes' });
    } finally {
      await this.#writer?.close();
      this.catalog.close();
      this.#lock?.release();
      this.#lock = undefined;
      this.#writer = undefined;
    }
  }
}

function openCatalogIn(
  directory: string,
  writer: boolean,
  { index, embedder, discard, log }: SessionOptions,
): Promise<Catalog> {
  return openCatalog({
    path: join(directory, 'catalog.sqlite'),
    writer,
    discard,
    log,
    model: embedder.model,
    fingerprint: embedder.fingerprint,
    dimensions: embedder.dimensions,
    corpus: index.corpus,
  });
}

function folderName({ model, fingerprint }: Embedder): string {
  const slug = model
    .replace(/[^A-Za-z0-9.-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 60);
  return `${slug || 'model'}-${createHash('sha256').update(fingerprint).digest('hex').slice(0, 8)}`;
}
