import type { StoredEvent } from './event-store.js';

/**
 * What the stored events of all sessions may take together. A client that goes away without a word leaves its session
 * behind until that has been idle for long, and a thousand such would be hundreds of megabytes: so the oldest events
 * give way, whosever they are. The newest always stays.
 */
export class EventBudget {
  readonly #maxCharacters: number;
  /** How each is let go, in the order they came: a Map keeps the order of insertion. */
  readonly #events = new Map<StoredEvent, () => void>();
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** @param letGo forgets the event, and removes it here */
  add(event: StoredEvent, letGo: () => void): void {
    this.#events.set(event, letGo);
    this.#characters += event.size;
    for (const letOldestGo of this.#events.values()) {
      if (this.#characters <= this.#maxCharacters || this.#events.size === 1) return;
      letOldestGo();
    }
  }

  remove(event: StoredEvent): void {
    if (this.#events.delete(event)) this.#characters -= event.size;
  }
}
