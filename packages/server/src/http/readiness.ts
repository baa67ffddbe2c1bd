import type { SearchIndex } from '@kettle/search';
import type { App } from '../app.js';

/** Opens the index as soon as the server is up, and knows whether searches are answered. */
export class Readiness {
  readonly #app: App;
  #index: SearchIndex | undefined;
  #opening = false;

  constructor(app: App) {
    this.#app = app;
  }

  /** Begins to open the index, unless that is done or under way. After a failure it tries again. */
  open(): void {
    if (this.#index || this.#opening) return;
    this.#opening = true;
    this.#app
      .index()
      .then((index) => {
        this.#index = index;
      })
      .catch((err: unknown) => this.#app.log('warn', 'The index could not be opened', { err }))
      .finally(() => {
        this.#opening = false;
      });
  }

  /** `ready` when searches are answered at once; otherwise what the index is doing. */
  get status(): 'ready' | 'starting' | 'syncing' | 'failed' {
    const status = this.#index?.status();
    if (status?.searchable) return 'ready';
    return status?.phase ?? 'starting';
  }
}
