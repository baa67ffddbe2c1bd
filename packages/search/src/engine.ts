import type { Embedder } from '@kettle/embedder';
import { abortable } from './abortable.js';
import { asSearchError } from './as-search-error.js';
import { isDamage } from './catalog/open-catalog.js';
import { SearchError } from './errors.js';
import { Gate } from './gate.js';
import { IndexState } from './index-state.js';
import type { Log } from './log.js';
import type { OpenIndexOptions } from './open-index-options.js';
import type { IndexChange } from './search-index.js';
import { Session } from './session.js';
import type { SyncReport } from './sync-report.js';
import { SyncTally } from './sync-tally.js';
import { type SyncOutcome, synchronise } from './synchronise.js';
import { Wake } from './wake.js';
import { FolderWatcher } from './watch-folder.js';

interface SyncRequest {
  readonly force: boolean;
  readonly resolve: (report: SyncReport) => void;
  readonly reject: (reason: unknown) => void;
}

/** All in milliseconds. */
const followEvery = 1000;
const lookAgainEvery = { watched: 60_000, unwatched: 5000 };
const retryUnreadAfter = 1000;
const firstRetryAfter = 1000;
const longestRetryAfter = 30_000;
const levelEvery = 2000;
const persistEvery = 30_000;

/** A session can't go on; another one may. */
class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}

/**
 * Does everything that goes on by itself, one thing after another: loads the model, opens the index, brings it
 * level, follows the folder or the process that writes, and starts again when something broke.
 */
export class Engine {
  readonly state: IndexState;
  /** Opens when queries can be answered. */
  readonly searchable = new Gate();
  /** Opens after the first synchronisation. */
  readonly ready = new Gate();
  readonly #options: OpenIndexOptions;
  readonly #log: Log;
  readonly #ended = new AbortController();
  readonly #wake = new Wake();
  readonly #watcher: FolderWatcher | undefined;
  readonly #listeners = new Set<(change: IndexChange) => void>();
  readonly #running: Promise<void>;
  #requests: SyncRequest[] = [];
  #embedder: Embedder | undefined;
  #session: Session | undefined;
  #restart = false;
  #discard = false;
  #lastReason: unknown;
  #unread = 0;
  #failures = 0;
  #announced: number | undefined;
  #lastLevel = 0;
  #lastPersist = 0;

  constructor(options: OpenIndexOptions) {
    this.#options = options;
    this.#log = options.log ?? (() => {});
    this.state = new IndexState(options.model);
    if (options.watch ?? true) {
      this.#watcher = new FolderWatcher(options.corpus.directory, () => this.#wake.wake(), this.#log);
    }
    this.#running = this.#run();
  }

  get session(): Session | undefined {
    return this.#session;
  }

  get isClosed(): boolean {
    return this.#ended.signal.aborted;
  }

  sync(force: boolean): Promise<SyncReport> {
    return new Promise((resolve, reject) => {
      this.#requests.push({ force, resolve, reject });
      this.#wake.wake();
    });
  }

  onChange(listener: (change: IndexChange) => void): () => void {
    const own = (change: IndexChange) => listener(change);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  /** A query found the catalog damaged. */
  reportDamage(): void {
    this.#restart = true;
    // Whoever only reads opens it again; the writer makes it anew.
    this.#discard = this.#session?.isWriter ?? false;
    this.#wake.wake();
  }

  async close(): Promise<void> {
    const closed = new SearchError('closed', 'The index is closed.');
    this.#ended.abort(closed);
    this.searchable.fail(closed);
    this.ready.fail(closed);
    this.#watcher?.close();
    this.#wake.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.isClosed) {
      try {
        this.#session = await this.#open();
        await this.#serve(this.#session);
      } catch (error) {
        if (!this.isClosed && !(error instanceof SessionEnded)) this.#fail(error);
      }
      await this.#closeSession();
      if (!this.isClosed && this.#failures > 0) await this.#pause();
    }
    for (const { reject } of this.#requests.splice(0)) reject(this.#ended.signal.reason);
    await this.#embedder?.close();
  }

  async #open(): Promise<Session> {
    const { signal } = this.#ended;
    const onProgress = this.state.progress.bind(this.state);
    if (this.#embedder === undefined) {
      onProgress({
        phase: 'loading',
        done: 0,
        total: 1,
        message: `Loading the model ${this.#options.model}`,
      });
      this.#embedder = await this.#loadEmbedder(signal);
    }
    onProgress({ phase: 'opening', done: 0, total: 1, message: 'Opening the index' });
    const session = await Session.open({
      index: this.#options,
      embedder: this.#embedder,
      discard: this.#discard,
      signal,
      onProgress,
      onStoreFailure: () => this.#wake.wake(),
      log: this.#log,
    });
    this.#discard = false;
    this.#restart = false;
    return session;
  }

  /** Does not wait for a model that ignores the signal; should it come later, it is closed. */
  async #loadEmbedder(signal: AbortSignal): Promise<Embedder> {
    const loading = this.#options.loadEmbedder(signal, this.state.progress.bind(this.state));
    try {
      return await abortable(loading, signal);
    } catch (error) {
      void loading.then(
        (embedder) => embedder.close(),
        () => {},
      );
      throw error;
    }
  }

  /** Works with one session until the index is closed or the session can't go on. */
  async #serve(session: Session): Promise<void> {
    this.#announced = session.catalog.changes.revision();
    this.state.refresh(session);
    if (session.isComplete) await this.#levelBefore(session);
    for (;;) {
      this.#ended.signal.throwIfAborted();
      if (this.#restart) throw new SessionEnded();
      this.ready.retry();
      this.searchable.retry();
      const pause =
        session.isWriter || session.tryPromote() ? await this.#lead(session) : await this.#follow(session);
      await this.#wake.sleep(pause, this.ready.isOpen);
    }
  }

  /** With an index from before, queries are served from it while it catches up. */
  async #levelBefore(session: Session): Promise<void> {
    try {
      await session.keeper.level();
      this.#openSearch(session);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** One round of the writer. Gives the time until the next one. */
  async #lead(session: Session): Promise<number> {
    const requests = this.#requests.splice(0);
    this.state.phase = session.isComplete && this.searchable.isOpen ? 'syncing' : 'starting';
    try {
      const outcome = await this.#synchronise(
        session,
        requests.some((request) => request.force),
      );
      this.#openSearch(session);
      this.#succeed(session, outcome.report);
      for (const { resolve } of requests) resolve(outcome.report);
      this.#watcher?.update(outcome.listing.folders);
      if (outcome.incomplete) return retryUnreadAfter * 2 ** Math.min(this.#unread++, 5);
      this.#unread = 0;
      if (this.#watcher === undefined) return 2 ** 31 - 1;
      return this.#watcher.complete ? lookAgainEvery.watched : lookAgainEvery.unwatched;
    } catch (error) {
      this.#watcher?.reset();
      const reason = this.#fail(error);
      for (const { reject } of requests) reject(reason);
      if (this.#isDamaged(error)) throw new SessionEnded();
      return this.#retryAfter();
    }
  }

  /** Folder to catalog, then catalog to store: the store is brought level even where the folder can't be read. */
  async #synchronise(session: Session, force: boolean): Promise<SyncOutcome> {
    const { catalog, keeper } = session;
    let outcome: SyncOutcome;
    try {
      outcome = await synchronise({
        directory: this.#options.corpus.directory,
        catalog,
        embedder: this.#embedder!,
        force,
        signal: this.#ended.signal,
        onProgress: this.state.progress.bind(this.state),
        onCommit: () => this.#levelNowAndThen(session),
        onEmbedded: (count) => {
          this.state.embedded += count;
        },
      });
    } catch (error) {
      if (!this.#isDamaged(error) && session.isComplete) {
        await keeper.level().then(
          () => this.#openSearch(session),
          () => {},
        );
      }
      throw error;
    }
    await keeper.level();
    await keeper.persist();
    this.#lastPersist = performance.now();
    return outcome;
  }

  /** During a long synchronisation what is new becomes findable, and is saved, in between. */
  #levelNowAndThen(session: Session): void {
    const now = performance.now();
    if (now - this.#lastLevel < levelEvery) return;
    this.#lastLevel = now;
    this.state.refresh(session);
    const { keeper } = session;
    const save = now - this.#lastPersist >= persistEvery;
    if (save) this.#lastPersist = now;
    keeper
      .level()
      .then(() => (save ? keeper.persist() : undefined))
      .then(() => this.#announce(session))
      // The round ends with the same steps, and tells of their failure.
      .catch(() => {});
  }

  /** One round of a process that reads what another one writes. Gives the time until the next one. */
  async #follow(session: Session): Promise<number> {
    if (session.isReplaced()) throw new SessionEnded();
    const requests = this.#requests.splice(0);
    const waiting = requests.length > 0 || !this.ready.isOpen || this.#failures > 0;
    if (!session.hasNews() && !waiting) return followEvery;
    if (!session.isComplete) {
      this.#requests.push(...requests);
      return followEvery / 5;
    }
    try {
      await session.keeper.level();
      this.#openSearch(session);
      this.#succeed(session);
      for (const { resolve } of requests) resolve(new SyncTally().report(this.state.status().passages));
      return followEvery;
    } catch (error) {
      const reason = this.#fail(error);
      for (const { reject } of requests) reject(reason);
      if (this.#isDamaged(error)) throw new SessionEnded();
      return this.#retryAfter();
    }
  }

  #openSearch(session: Session): void {
    if (this.isClosed) return;
    this.state.refresh(session);
    this.state.searchable = true;
    this.searchable.open();
  }

  #succeed(session: Session, report?: SyncReport): void {
    this.#failures = 0;
    this.state.refresh(session);
    this.state.succeeded(report);
    this.ready.open();
    this.#announce(session);
  }

  /** Remembers why it does not go on, and lets those who wait know. */
  #fail(error: unknown): unknown {
    const reason = asSearchError(error, this.#ended.signal);
    if (this.isClosed || !SearchError.isInstance(reason)) return reason;
    if (this.#failures === 0) this.#log('error', reason.message, { code: reason.code });
    this.#failures++;
    this.#lastReason = reason;
    this.state.failed(reason);
    if (!this.ready.isOpen) this.ready.fail(reason);
    if (!this.searchable.isOpen) this.searchable.fail(reason);
    return reason;
  }

  #isDamaged(error: unknown): boolean {
    if (!isDamage(error)) return false;
    this.reportDamage();
    return true;
  }

  #announce(session: Session): void {
    const { changes } = session.catalog;
    const revision = changes.revision();
    if (this.isClosed || revision === this.#announced) return;
    const change = changes.documentsSince(this.#announced ?? 0);
    this.#announced = revision;
    for (const listener of this.#listeners) listener(change);
  }

  #retryAfter(): number {
    return Math.min(longestRetryAfter, firstRetryAfter * 2 ** Math.min(this.#failures - 1, 10));
  }

  async #pause(): Promise<void> {
    // Whoever asks meanwhile is told at once why there is no answer.
    for (const { reject } of this.#requests.splice(0)) reject(this.#lastReason);
    await this.#wake.sleep(this.#retryAfter(), true);
    this.searchable.retry();
    this.ready.retry();
  }

  async #closeSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    if (!this.isClosed) {
      this.state.searchable = false;
      this.searchable.close();
    } else {
      await session.keeper
        .persist()
        .catch((error) => this.#log('warn', `The vector store was not saved: ${error}`));
    }
    await session.close().catch((error) => this.#log('warn', `The index did not close cleanly: ${error}`));
  }
}
