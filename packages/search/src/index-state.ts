import type { SearchError } from './errors.js';
import type { IndexProgress, IndexStatus } from './index-status.js';
import type { Session } from './session.js';
import type { SyncReport } from './sync-report.js';

/** Keeps what `status()` says, and passes progress on to those who wait. */
export class IndexState {
  embedded = 0;
  phase: IndexStatus['phase'] = 'starting';
  searchable = false;
  readonly #model: string;
  readonly #listeners = new Set<(progress: IndexProgress) => void>();
  #progress: IndexProgress | undefined;
  #lastSync: SyncReport | undefined;
  #lastError: IndexStatus['lastError'];
  #details: Pick<IndexStatus, 'role' | 'backend' | 'directory' | 'lastSyncAt'> = {};
  #counts = { documents: 0, passages: 0 };

  constructor(model: string) {
    this.#model = model;
  }

  progress(progress: IndexProgress): void {
    this.#progress = progress;
    for (const listener of this.#listeners) listener(progress);
  }

  /** Tells `listener` the progress so far and from now on. Returns its removal. */
  listen(listener: ((progress: IndexProgress) => void) | undefined): () => void {
    if (listener === undefined) return () => {};
    // Each call gets a listener of its own, also where callers share a function.
    const own = (progress: IndexProgress) => listener(progress);
    this.#listeners.add(own);
    if (this.#progress !== undefined) own(this.#progress);
    return () => this.#listeners.delete(own);
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

  succeeded(report?: SyncReport): void {
    this.phase = 'ready';
    this.#progress = undefined;
    this.#lastError = undefined;
    if (report !== undefined) this.#lastSync = report;
  }

  failed(error: SearchError): void {
    this.phase = 'failed';
    this.#progress = undefined;
    this.#lastError = Object.freeze({
      code: error.code,
      message: error.message,
      at: new Date().toISOString(),
    });
  }

  status(): IndexStatus {
    return Object.freeze({
      phase: this.phase,
      searchable: this.searchable,
      model: this.#model,
      ...this.#details,
      ...this.#counts,
      embedded: this.embedded,
      ...(this.#progress && { progress: this.#progress }),
      ...(this.#lastSync && { lastSync: this.#lastSync }),
      ...(this.#lastError && { lastError: this.#lastError }),
    });
  }
}
