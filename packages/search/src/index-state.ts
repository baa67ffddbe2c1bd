import type { SearchError } from './errors.js';
import { Gate } from './gate.js';
import type { IndexProgress, IndexStatus } from './index-status.js';
import type { Log } from './log.js';
import type { IndexChange } from './search-index.js';
import type { Session } from './session.js';
import type { SyncReport } from './sync-report.js';

/** What others see of an index: its status, what they can wait for, the changes they are told of. */
export class IndexState {
  /** Opens when queries can be answered. */
  readonly searchable = new Gate();
  /** Opens after the first synchronisation. */
  readonly ready = new Gate();
  /** Attempts that failed since the last one that succeeded. */
  failures = 0;
  readonly #model: string;
  readonly #log: Log;
  readonly #progressListeners = new Set<(progress: IndexProgress) => void>();
  readonly #changeListeners = new Set<(change: IndexChange) => void>();
  #closed = false;
  #phase: IndexStatus['phase'] = 'starting';
  #embedded = 0;
  #progress: IndexProgress | undefined;
  #lastSync: SyncReport | undefined;
  #lastError: IndexStatus['lastError'];
  #details: Pick<IndexStatus, 'role' | 'backend' | 'directory' | 'lastSyncAt'> = {};
  #counts = { documents: 0, passages: 0 };
  /** The revision of the catalog that listeners were told of. */
  #announced: number | undefined;

  constructor(model: string, log: Log) {
    this.#model = model;
    this.#log = log;
  }

  /** Tells those who wait for progress, and remembers it. */
  readonly progress = (progress: IndexProgress): void => {
    this.#progress = progress;
    for (const listener of this.#progressListeners) listener(progress);
  };

  /** Tells `listener` the progress so far and from now on. Returns its removal. */
  listen(listener: ((progress: IndexProgress) => void) | undefined): () => void {
    if (listener === undefined) return () => {};
    const own = this.#harmless(listener);
    this.#progressListeners.add(own);
    if (this.#progress !== undefined) own(this.#progress);
    return () => this.#progressListeners.delete(own);
  }

  onChange(listener: (change: IndexChange) => void): () => void {
    const own = this.#harmless(listener);
    this.#changeListeners.add(own);
    return () => this.#changeListeners.delete(own);
  }

  countEmbedded(count: number): void {
    this.#embedded += count;
  }

  /** A session begins: what happens to its catalog from here on is news. */
  begin(session: Session): void {
    this.#announced = session.catalog.changes.revision();
    this.refresh(session);
  }

  /** The writer starts a round. */
  working(session: Session): void {
    this.#phase = session.isComplete && this.searchable.isOpen ? 'syncing' : 'starting';
  }

  /** Reads what changed from the session. */
  refresh(session: Session): void {
    const { catalog, keeper, directory, isWriter } = session;
    const lastSyncAt = catalog.get('synced_at');
    this.#counts = catalog.documents.counts();
    this.#details = {
      role: isWriter ? 'writer' : 'follower',
      directory,
      ...(keeper.backend !== undefined && { backend: keeper.backend }),
      ...(lastSyncAt !== undefined && { lastSyncAt }),
    };
  }

  openSearch(session: Session): void {
    if (this.#closed) return;
    this.refresh(session);
    this.searchable.open();
  }

  succeeded(session: Session, report?: SyncReport): void {
    this.openSearch(session);
    this.#phase = 'ready';
    this.#progress = undefined;
    this.#lastError = undefined;
    this.failures = 0;
    if (report !== undefined) this.#lastSync = report;
    if (this.#closed) return;
    this.ready.open();
    this.announce(session);
  }

  /** Remembers why it does not go on, and lets those who wait know. */
  failed(error: SearchError): void {
    this.failures++;
    this.#phase = 'failed';
    this.#progress = undefined;
    this.#lastError = Object.freeze({
      code: error.code,
      message: error.message,
      at: new Date().toISOString(),
    });
    if (!this.ready.isOpen) this.ready.fail(error);
    if (!this.searchable.isOpen) this.searchable.fail(error);
  }

  /** It is tried again: callers may wait. */
  retry(): void {
    this.ready.retry();
    this.searchable.retry();
  }

  /** Tells the listeners what happened to the documents since the last time. */
  announce(session: Session): void {
    const { changes } = session.catalog;
    const revision = changes.revision();
    if (this.#closed || revision === this.#announced) return;
    const change = changes.documentsSince(this.#announced ?? 0);
    this.#announced = revision;
    for (const listener of this.#changeListeners) listener(change);
  }

  close(reason: SearchError): void {
    this.#closed = true;
    this.searchable.fail(reason);
    this.ready.fail(reason);
  }

  status(): IndexStatus {
    return Object.freeze({
      phase: this.#phase,
      searchable: this.searchable.isOpen,
      model: this.#model,
      ...this.#details,
      ...this.#counts,
      embedded: this.#embedded,
      ...(this.#progress && { progress: this.#progress }),
      ...(this.#lastSync && { lastSync: this.#lastSync }),
      ...(this.#lastError && { lastError: this.#lastError }),
    });
  }

  /** A listener that throws fails itself, not the index. One of its own for each call, also where callers share one. */
  #harmless<T>(listener: (value: T) => void): (value: T) => void {
    return (value) => {
      try {
        listener(value);
      } catch (error) {
        this.#log('error', `A listener of the index failed: ${error}`);
      }
    };
  }
}
