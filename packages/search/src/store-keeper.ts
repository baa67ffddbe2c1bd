import { rm } from 'node:fs/promises';
import { type QueryOptions, type VectorHit, type VectorStore, VectorStoreError } from '@kettle/vector-store';
import { abortable } from './abortable.js';
import { asSearchError } from './as-search-error.js';
import type { Catalog } from './catalog/catalog.js';
import { SearchError } from './errors.js';
import type { IndexProgress } from './index-status.js';
import { levelFrom, levelWholly } from './level-store.js';
import type { Log } from './log.js';

export interface StoreKeeperOptions {
  readonly catalog: Catalog;
  /** Opens the store; called again after a failure. */
  readonly open: (signal: AbortSignal) => Promise<VectorStore>;
  /** The store's own folder: removed to rebuild the store. */
  readonly directory: string;
  /** Whether this process is the one that writes the index. */
  readonly isWriter: () => boolean;
  readonly onProgress: (progress: IndexProgress) => void;
  /** A call failed: the store should be brought level again soon. */
  readonly onFailure: () => void;
  readonly log: Log;
}

/**
 * Keeps the vector store level with the catalog: opens it, fills it, rebuilds it when it is damaged, opens it again
 * when it failed.
 */
export class StoreKeeper {
  readonly #options: StoreKeeperOptions;
  readonly #ended = new AbortController();
  #store: VectorStore | undefined;
  /** What the store has reached; `undefined` while its contents are not known. */
  #revision: number | undefined;
  #saved: number | undefined;
  /** The last level run: runs follow one another, and queries wait for the first one. */
  #running: Promise<void> = Promise.resolve();
  #usable = false;

  constructor(options: StoreKeeperOptions) {
    this.#options = options;
  }

  get backend(): string | undefined {
    return this.#store?.backend;
  }

  /** The store's contents differ from what outlives this process. */
  get unsaved(): boolean {
    return this.#revision !== this.#saved;
  }

  /** Brings the store level; rejects with a `SearchError` when it can't be. */
  level(): Promise<void> {
    const run = this.#running.then(
      () => this.#level(),
      () => this.#level(),
    );
    this.#running = run;
    run.catch(() => {});
    return run;
  }

  /** The nearest contents. Waits while the store is filled for the first time, rejects while it is down. */
  async query(vector: Float32Array, topK: number, options: QueryOptions): Promise<VectorHit[]> {
    if (!this.#usable) await abortable(this.#running, options.signal);
    const store = this.#store;
    if (store === undefined) throw this.#closedError();
    try {
      return await store.query(vector, topK, options);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      this.#distrust(error);
      this.#options.onFailure();
      throw asSearchError(error, options.signal);
    }
  }

  /** Makes the store's contents outlive this process, where that is the store's way. Only for the writer. */
  async persist(): Promise<void> {
    const revision = this.#revision;
    if (this.#store === undefined || revision === undefined || revision === this.#saved) return;
    if (!this.#options.isWriter()) return;
    await this.#store.persist({ signal: this.#ended.signal });
    this.#options.catalog.storeSaved(this.#store.backend, revision);
    this.#saved = revision;
  }

  async close(): Promise<void> {
    this.#ended.abort(this.#closedError());
    await this.#running.catch(() => {});
    await this.#store?.close();
    this.#store = undefined;
    this.#usable = false;
  }

  async #level(): Promise<void> {
    for (let rebuilt = false; ; rebuilt = true) {
      try {
        await this.#open();
        await this.#compare();
        this.#usable = true;
        return;
      } catch (error) {
        this.#ended.signal.throwIfAborted();
        this.#distrust(error);
        if (rebuilt || !(await this.#canRebuild(error))) throw asSearchError(error);
      }
    }
  }

  async #open(): Promise<void> {
    this.#ended.signal.throwIfAborted();
    this.#store ??= await this.#options.open(this.#ended.signal);
  }

  async #compare(): Promise<void> {
    const store = this.#store!;
    const { catalog, onProgress, isWriter } = this.#options;
    // A store that others see is brought level once, by the writer.
    if (store.capabilities.shared && !isWriter()) return;
    const options = { signal: this.#ended.signal, onProgress };
    const followed =
      this.#revision === undefined ? undefined : await levelFrom(this.#revision, catalog, store, options);
    this.#revision = followed ?? (await levelWholly(catalog, store, options));
  }

  /** After a failure nothing is known about what the store holds. */
  #distrust(error: unknown): void {
    this.#revision = undefined;
    this.#saved = undefined;
    const code = VectorStoreError.isInstance(error) ? error.code : undefined;
    if (code === 'data_lost' || code === 'corrupt') this.#usable = false;
  }

  /** A derived store is not mourned: what is damaged or foreign goes, and is filled again from the catalog. */
  async #canRebuild(error: unknown): Promise<boolean> {
    if (!VectorStoreError.isInstance(error)) return false;
    const { log, isWriter, directory } = this.#options;
    const lost = error.code === 'data_lost';
    if (!lost && error.code !== 'corrupt' && error.code !== 'fingerprint_mismatch') return false;
    log('warn', `The vector store is rebuilt from the catalog: ${error.message}`, { code: error.code });
    const store = this.#store;
    if (store !== undefined) {
      if (lost) return true;
      try {
        await store.clear({ signal: this.#ended.signal });
        return true;
      } catch {
        await store.close();
        this.#store = undefined;
      }
    }
    if (isWriter()) await rm(directory, { recursive: true, force: true });
    return isWriter();
  }

  #closedError(): SearchError {
    return new SearchError('closed', 'The index is closed.');
  }
}
