import { rm } from 'node:fs/promises';
import { type QueryOptions, type VectorHit, type VectorStore, VectorStoreError } from '@kettle/vector-store';
import { abortable } from './abortable.js';
import { asSearchError } from './as-search-error.js';
import type { Catalog } from './catalog/catalog.js';
import type { CatalogWriter } from './catalog/catalog-writer.js';
import { SearchError } from './errors.js';
import type { IndexProgress } from './index-status.js';
import { isFull, leastContents, levelFrom, levelWholly } from './level-store.js';
import type { Log } from './log.js';

export interface StoreKeeperOptions {
  readonly catalog: Catalog;
  /** Opens the store; called again after a failure. */
  readonly open: (signal: AbortSignal) => Promise<VectorStore>;
  /** The store's own folder: removed to rebuild the store. */
  readonly directory: string;
  /** In the process that writes the index. */
  readonly writer: () => CatalogWriter | undefined;
  readonly onProgress: (progress: IndexProgress) => void;
  /** A call failed: the store should be brought level again soon. */
  readonly onFailure: () => void;
  readonly log: Log;
}

/**
 * Keeps the vector store level with the catalog: opens it, fills it, rebuilds it when it is damaged, opens it again
 * when it failed. A store that other processes see is the writer's to fill; a follower waits until it is full.
 */
export class StoreKeeper {
  readonly #options: StoreKeeperOptions;
  readonly #ended = new AbortController();
  #store: VectorStore | undefined;
  /** What the store has reached; `undefined` while its contents are not known. */
  #revision: number | undefined;
  #saved: number | undefined;
  /** The last level run: runs follow one another. */
  #running: Promise<void> | undefined;
  #usable = false;

  constructor(options: StoreKeeperOptions) {
    this.#options = options;
  }

  get backend(): string | undefined {
    return this.#store?.backend;
  }

  /** The store was level once, and has not lost its contents since. */
  get isUsable(): boolean {
    return this.#usable;
  }

  /** The store is elsewhere, where others can change it unseen. */
  get isShared(): boolean {
    return this.#store?.capabilities.shared === true;
  }

  /** Brings the store level; rejects with a `SearchError` when it can't be. */
  level(): Promise<void> {
    const before = this.#running ?? Promise.resolve();
    const run = before.catch(() => {}).then(() => this.#level());
    const done = () => {
      if (this.#running === run) this.#running = undefined;
    };
    this.#running = run;
    run.then(done, done);
    return run;
  }

  /** The nearest contents. Waits while the store is filled, rejects while it is down. */
  async query(vector: Float32Array, topK: number, options: QueryOptions): Promise<VectorHit[]> {
    if (!this.#usable) await abortable(this.#running ?? this.level(), options.signal);
    const store = this.#store;
    if (store === undefined) throw this.#closedError();
    try {
      return await store.query(vector, topK, options);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      this.#distrust(error);
      this.#options.onFailure();
      throw this.#inOtherWords(error);
    }
  }

  /** Makes the store's contents outlive this process, where that is the store's way. Only for the writer. */
  async persist(): Promise<void> {
    const revision = this.#revision;
    if (this.#store === undefined || revision === undefined || revision === this.#saved) return;
    const writer = this.#options.writer();
    if (writer === undefined) return;
    await this.#store.persist({ signal: this.#ended.signal });
    await writer.storeSaved(this.#store.backend, revision);
    this.#saved = revision;
  }

  async close(): Promise<void> {
    this.#ended.abort(this.#closedError());
    await this.#running?.catch(() => {});
    await this.#store?.close();
    this.#store = undefined;
    this.#usable = false;
  }

  async #level(): Promise<void> {
    for (let rebuilt = false; ; rebuilt = true) {
      try {
        await this.#open();
        if (this.#isOthers) await this.#checkFilled();
        else await this.#compare();
        this.#usable = true;
        return;
      } catch (error) {
        this.#ended.signal.throwIfAborted();
        this.#distrust(error);
        if (rebuilt || !(await this.#canRebuild(error))) throw this.#inOtherWords(error);
      }
    }
  }

  async #open(): Promise<void> {
    this.#ended.signal.throwIfAborted();
    this.#store ??= await this.#options.open(this.#ended.signal);
  }

  /** Another process fills this store. */
  get #isOthers(): boolean {
    return this.isShared && this.#options.writer() === undefined;
  }

  async #compare(): Promise<void> {
    const store = this.#store!;
    const { catalog, onProgress } = this.#options;
    const options = { signal: this.#ended.signal, onProgress };
    let reached: number | undefined;
    if (this.#revision !== undefined) reached = await levelFrom(this.#revision, catalog, store, options);
    const { shared } = store.capabilities;
    // What lives elsewhere may have been emptied, and nothing here would tell.
    if (shared && reached !== undefined && !(await isFull(catalog, store, options))) reached = undefined;
    this.#revision = reached ?? (await levelWholly(catalog, store, options));
    // Followers go by it.
    if (shared) await this.persist();
  }

  /** A follower must not answer from a store that is empty or half full: that would look like "no hits". */
  async #checkFilled(): Promise<void> {
    if (this.#usable) return;
    const store = this.#store!;
    const { catalog } = this.#options;
    // The catalog may change while the store counts.
    const options = { signal: this.#ended.signal };
    const before = await leastContents(catalog, store.backend, options);
    const count = await store.count(options);
    if (count >= before || count >= (await leastContents(catalog, store.backend, options))) return;
    throw new SearchError(
      'store_unavailable',
      `The vector store is still being filled by another process: ${count} of ${catalog.contents.counts().live} passages so far. Try again in a moment; \`kettle status\` says whether it still has the index open.`,
      { retryable: true },
    );
  }

  /** After a failure nothing is known about what the store holds. */
  #distrust(error: unknown): void {
    this.#revision = undefined;
    this.#saved = undefined;
    if (hasLostContents(error)) this.#usable = false;
  }

  /** A derived store is not mourned: what is damaged or foreign goes, and is filled again from the catalog. */
  async #canRebuild(error: unknown): Promise<boolean> {
    const foreign = VectorStoreError.isInstance(error) && error.code === 'fingerprint_mismatch';
    if (!foreign && !hasLostContents(error)) return this.#dropDead(error);
    if (this.#isOthers) return false;
    const { log, writer, directory } = this.#options;
    const { code, message } = error as VectorStoreError;
    log('warn', `The vector store is rebuilt from the catalog: ${message}`, { code });
    const store = this.#store;
    if (store !== undefined && code !== 'data_lost') {
      try {
        await store.clear({ signal: this.#ended.signal });
        return true;
      } catch {
        // What can't even be emptied is made anew.
      }
    }
    this.#store = undefined;
    await store?.close();
    if (code === 'data_lost' && store !== undefined) return true;
    if (writer() === undefined) return false;
    await rm(directory, { recursive: true, force: true });
    return true;
  }

  /** What lives in this process and can't even count won't recover, as a server may: it is opened anew. */
  async #dropDead(error: unknown): Promise<boolean> {
    const store = this.#store;
    if (store === undefined || this.isShared) return false;
    const isAlive = await store.count({ signal: this.#ended.signal }).then(
      () => true,
      () => false,
    );
    this.#ended.signal.throwIfAborted();
    if (isAlive) return false;
    this.#options.log('warn', `The vector store is opened again: ${error}`);
    this.#store = undefined;
    this.#usable = false;
    await store.close().catch(() => {});
    return true;
  }

  #inOtherWords(error: unknown): unknown {
    if (this.#ended.signal.aborted) return this.#closedError();
    const again = (message: string) =>
      new SearchError('store_unavailable', `${message} Try again in a moment.`, {
        cause: error,
        retryable: true,
      });
    if (hasLostContents(error)) return again('The vector store lost its contents and is being filled again.');
    // The store was closed to be opened anew.
    if (VectorStoreError.isInstance(error) && error.code === 'closed')
      return again('The vector store is being opened again.');
    return asSearchError(error);
  }

  #closedError(): SearchError {
    return new SearchError('closed', 'The index is closed.');
  }
}

function hasLostContents(error: unknown): boolean {
  return VectorStoreError.isInstance(error) && (error.code === 'data_lost' || error.code === 'corrupt');
}
