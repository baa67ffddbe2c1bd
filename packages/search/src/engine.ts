import { setMaxListeners } from 'node:events';
import type { Embedder } from '@kettle/embedder';
import { abortable } from './abortable.js';
import { asSearchError } from './as-search-error.js';
import { WriterEnded } from './catalog/catalog-writer.js';
import { isDamage } from './catalog/open-catalog.js';
import { SearchError } from './errors.js';
import { follow } from './follower.js';
import { IndexState } from './index-state.js';
import { Leader } from './leader.js';
import type { Log } from './log.js';
import type { OpenIndexOptions } from './open-index-options.js';
import { SessionEnded } from './round.js';
import { Session } from './session.js';
import type { SyncReport } from './sync-report.js';
import { Wake } from './wake.js';
import { FolderWatcher } from './watch-folder.js';

interface SyncRequest {
  readonly force: boolean;
  readonly resolve: (report: SyncReport) => void;
  readonly reject: (reason: unknown) => void;
}

/** All in milliseconds. */
const firstRetryAfter = 1000;
const longestRetryAfter = 30_000;
/** The longest that a timer takes. */
const never = 2 ** 31 - 1;

/**
 * Does everything that goes on by itself, one thing after another: loads the model, opens the index, does one round
 * of leading or following after the other, and starts again when something broke.
 */
export class Engine {
  readonly state: IndexState;
  readonly #options: OpenIndexOptions;
  readonly #log: Log;
  readonly #ended = new AbortController();
  readonly #wake = new Wake();
  readonly #watcher: FolderWatcher | undefined;
  readonly #leader: Leader;
  readonly #running: Promise<void>;
  #requests: SyncRequest[] = [];
  #embedder: Embedder | undefined;
  #session: Session | undefined;
  #restart = false;
  #discard = false;
  /** The catalog was damaged, and no round has succeeded since it was made anew. */
  #rebuilding = false;
  #lastReason: unknown;

  constructor(options: OpenIndexOptions) {
    const { corpus, model, watch = true, rescanEvery = 5000, log = () => {} } = options;
    this.#options = options;
    this.#log = log;
    this.state = new IndexState(model, log);
    // Each document in work listens.
    setMaxListeners(0, this.#ended.signal);
    if (watch === true) {
      this.#watcher = new FolderWatcher(corpus.directory, () => this.#wake.wake(), log);
    }
    this.#leader = new Leader({
      directory: corpus.directory,
      state: this.state,
      watcher: this.#watcher,
      rescanEvery: watch === false ? never : rescanEvery,
      signal: this.#ended.signal,
    });
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

  /**
   * A query found the catalog damaged. Whoever only reads opens it again; the writer makes it anew.
   *
   * @returns Whether it is made anew at once, so that callers can wait for it.
   */
  reportDamage(session: Session, error: unknown): boolean {
    // Another one may be in its place already, which is not to blame.
    if (session !== this.#session) return this.#rebuilding;
    this.#wake.wake();
    const known = this.#restart && this.#discard;
    this.#restart = true;
    this.#discard = session.isWriter;
    if (!session.isWriter) return false;
    if (known) return this.#rebuilding;
    // What is damaged again right away is not rebuilt without end: that is a failure, with pauses.
    if (this.#rebuilding) return false;
    this.#rebuilding = true;
    this.state.searchable.close();
    this.#log(
      'warn',
      `The catalog was damaged (${(error as Error).message}); it is rebuilt from the documents.`,
    );
    return true;
  }

  async close(): Promise<void> {
    const closed = new SearchError('closed', 'The index is closed.');
    this.#ended.abort(closed);
    this.state.close(closed);
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
        if (!this.isClosed && !(error instanceof SessionEnded) && !this.#rebuilds(error)) this.#fail(error);
      }
      await this.#closeSession();
      if (!this.isClosed && this.state.failures > 0) await this.#pause();
    }
    for (const { reject } of this.#requests.splice(0)) reject(this.#ended.signal.reason);
    await this.#embedder?.close();
  }

  async #open(): Promise<Session> {
    const { signal } = this.#ended;
    const onProgress = this.state.progress;
    if (this.#embedder === undefined) {
      const message = `Loading the model ${this.#options.model}`;
      onProgress({ phase: 'loading', done: 0, total: 1, message });
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
    const loading = this.#options.loadEmbedder(signal, this.state.progress);
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
    this.state.begin(session);
    if (session.isComplete) await this.#levelBefore(session);
    for (;;) {
      this.#ended.signal.throwIfAborted();
      if (this.#restart) throw new SessionEnded();
      this.state.retry();
      const pause = await this.#round(session);
      await this.#wake.sleep(pause, this.state.ready.isOpen);
    }
  }

  /** With an index from before, queries are served from it while it catches up. */
  async #levelBefore(session: Session): Promise<void> {
    try {
      await session.keeper.level();
      this.state.openSearch(session);
    } catch (error) {
      if (isDamage(error)) throw error;
      this.#fail(error);
    }
  }

  /** Leads or follows once, and answers those who asked for it. Gives the time until the next round. */
  async #round(session: Session): Promise<number> {
    const requests = this.#requests.splice(0);
    try {
      // Somebody removed the index, or put another one there: what is written here would be lost.
      if (session.isReplaced()) throw new SessionEnded();
      const force = requests.some((request) => request.force);
      const { pause, report } =
        session.isWriter || (await session.tryPromote())
          ? await this.#leader.round(session, this.#embedder!, force)
          : await follow(session, this.state, requests.length > 0);
      if (report === undefined) this.#requests.unshift(...requests);
      else for (const { resolve } of requests) resolve(report);
      if (report !== undefined) this.#rebuilding = false;
      return pause;
    } catch (error) {
      if (error instanceof SessionEnded || this.#rebuilds(error)) {
        this.#requests.unshift(...requests);
        throw new SessionEnded();
      }
      const reason = this.#fail(error);
      for (const { reject } of requests) reject(reason);
      // Its writer can't be used any more. With the session the lock goes too, so that another process may take over.
      if (!isDamage(error) && !(error instanceof WriterEnded)) return this.#retryAfter();
      throw new SessionEnded();
    }
  }

  /** The session can't go on for a damaged catalog, and callers wait for the next one. */
  #rebuilds(error: unknown): boolean {
    return isDamage(error) && this.#session !== undefined && this.reportDamage(this.#session, error);
  }

  #fail(error: unknown): unknown {
    const reason = asSearchError(error, this.#ended.signal);
    if (this.isClosed || !SearchError.isInstance(reason)) return reason;
    if (this.state.failures === 0) this.#log('error', reason.message, { code: reason.code });
    this.#lastReason = reason;
    this.state.failed(reason);
    return reason;
  }

  #retryAfter(): number {
    return Math.min(longestRetryAfter, firstRetryAfter * 2 ** Math.min(this.state.failures - 1, 10));
  }

  async #pause(): Promise<void> {
    // Whoever asks meanwhile is told at once why there is no answer.
    for (const { reject } of this.#requests.splice(0)) reject(this.#lastReason);
    await this.#wake.sleep(this.#retryAfter(), true);
    this.state.retry();
  }

  async #closeSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    if (session === undefined) return;
    if (!this.isClosed) {
      this.state.searchable.close();
    } else {
      await session.keeper
        .persist()
        .catch((error) => this.#log('warn', `The vector store was not saved: ${error}`));
    }
    await session.close().catch((error) => {
      if (!this.#discard) this.#log('warn', `The index did not close cleanly: ${error}`);
    });
  }
}
