import type { Embedder } from '@kettle/embedder';
import { isDamage } from './catalog/open-catalog.js';
import type { IndexState } from './index-state.js';
import type { Round } from './round.js';
import type { Session } from './session.js';
import { type SyncOutcome, synchronise } from './synchronise.js';
import type { FolderWatcher } from './watch-folder.js';

export interface LeaderOptions {
  readonly directory: string;
  readonly state: IndexState;
  /** Tells of changes; without one they are looked for. */
  readonly watcher: FolderWatcher | undefined;
  /** Milliseconds between two looks where nothing tells of changes. */
  readonly rescanEvery: number;
  readonly signal: AbortSignal;
}

/** All in milliseconds. */
const lookAgainEvery = { watched: 60_000, withSharedStore: 15_000 };
const retryUnreadAfter = 1000;
const levelEvery = 2000;
const persistEvery = 30_000;

/** Does the rounds of the process that writes the index: folder to catalog, then catalog to store. */
export class Leader {
  readonly #options: LeaderOptions;
  #unread = 0;
  #lastLevel = 0;
  #lastPersist = 0;

  constructor(options: LeaderOptions) {
    this.#options = options;
  }

  async round(session: Session, embedder: Embedder, force: boolean): Promise<Round> {
    const { state, watcher } = this.#options;
    state.working(session);
    try {
      const outcome = await this.#synchronise(session, embedder, force);
      state.succeeded(session, outcome.report);
      watcher?.update(outcome.listing.folders);
      return { pause: this.#pauseAfter(outcome, session), report: outcome.report };
    } catch (error) {
      watcher?.reset();
      throw error;
    }
  }

  #pauseAfter({ incomplete }: SyncOutcome, { keeper }: Session): number {
    const { watcher, rescanEvery } = this.#options;
    if (incomplete) return retryUnreadAfter * 2 ** Math.min(this.#unread++, 5);
    this.#unread = 0;
    if (!watcher?.complete) return rescanEvery;
    // No event tells that a server elsewhere lost what it held.
    return keeper.isShared ? lookAgainEvery.withSharedStore : lookAgainEvery.watched;
  }

  /** The store is brought level even where the folder can't be read. */
  async #synchronise(session: Session, embedder: Embedder, force: boolean): Promise<SyncOutcome> {
    const { directory, state, signal } = this.#options;
    const { catalog, keeper, writer } = session;
    let outcome: SyncOutcome;
    try {
      outcome = await synchronise({
        directory,
        catalog,
        writer: writer!,
        embedder,
        force,
        signal,
        onProgress: state.progress,
        onCommit: () => this.#levelNowAndThen(session),
        onEmbedded: (count) => state.countEmbedded(count),
      });
    } catch (error) {
      if (!isDamage(error) && session.isComplete) {
        await keeper.level().then(
          () => state.openSearch(session),
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
    const { state } = this.#options;
    state.refresh(session);
    const { keeper } = session;
    const save = now - this.#lastPersist >= persistEvery;
    if (save) this.#lastPersist = now;
    keeper
      .level()
      .then(() => (save ? keeper.persist() : undefined))
      .then(() => state.announce(session))
      // The round ends with the same steps, and tells of their failure.
      .catch(() => {});
  }
}
