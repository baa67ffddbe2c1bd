import type { EventId, EventStore, StreamId } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { EventBudget } from './event-budget.js';

/** One event of a stream. A priming event, which only carries an id, has no message. */
export interface StoredEvent {
  readonly id: EventId;
  readonly streamId: StreamId;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/**
 * The latest events of one session, so that a client whose stream broke can ask for what it missed. The oldest
 * give way when there are too many or they are too large, here or, by the budget, in all sessions together.
 */
export class BoundedEventStore implements EventStore {
  readonly #maxEvents: number;
  readonly #maxCharacters: number;
  readonly #budget: EventBudget;
  /** In the order of their ids: a Map keeps the order of insertion. */
  readonly #events = new Map<EventId, StoredEvent>();
  #characters = 0;
  #lastId = 0;

  constructor(maxEvents: number, maxCharacters: number, budget: EventBudget) {
    this.#maxEvents = maxEvents;
    this.#maxCharacters = maxCharacters;
    this.#budget = budget;
  }

  async storeEvent(streamId: StreamId, message: JSONRPCMessage): Promise<EventId> {
    this.#lastId += 1;
    const id = String(this.#lastId);
    const event = { id, streamId, message, size: JSON.stringify(message).length };
    this.#events.set(id, event);
    this.#characters += event.size;
    this.#budget.add(event, () => this.#letGo(event));
    this.#trim();
    return id;
  }

  /**
   * False for events that never were, or that gave way. (`getStreamIdForEventId`, which the SDK would ask, is left
   * out on purpose: with it a client can't resume before the server has noticed that its old connection broke.)
   */
  has(id: EventId): boolean {
    return this.#events.has(id);
  }

  async replayEventsAfter(
    id: EventId,
    { send }: { send: (eventId: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const streamId = this.#events.get(id)?.streamId;
    if (streamId === undefined) throw new Error('The event is not stored any more');
    for (const event of this.eventsAfter(id)) await send(event.id, event.message);
    return streamId;
  }

  /** The messages that came after an event in its stream, oldest first. */
  eventsAfter(id: EventId): StoredEvent[] {
    const streamId = this.#events.get(id)?.streamId;
    return this.#eventsOf(streamId).filter((event) => Number(event.id) > Number(id) && isMessage(event));
  }

  /** Whether the stream of this event has had a reply. */
  hasReply(id: EventId): boolean {
    return this.#eventsOf(this.#events.get(id)?.streamId).some(({ message }) => isReply(message));
  }

  /** Lets go of all of them: the session is over. */
  clear(): void {
    for (const event of this.#events.values()) this.#letGo(event);
  }

  #eventsOf(streamId: StreamId | undefined): StoredEvent[] {
    return [...this.#events.values()].filter((event) => event.streamId === streamId);
  }

  #trim(): void {
    for (const event of this.#events.values()) {
      const areTooMany = this.#events.size > this.#maxEvents;
      if (!areTooMany && this.#characters <= this.#maxCharacters) return;
      if (event.id === String(this.#lastId)) return;
      // A priming event takes no room, and is all that a client has which lost its stream before the reply came.
      if (areTooMany || isMessage(event)) this.#letGoUpTo(event);
    }
  }

  /** A stream can't be taken up before an event that is gone: something would be missing. */
  #letGoUpTo(event: StoredEvent): void {
    for (const other of this.#eventsOf(event.streamId))
      if (Number(other.id) <= Number(event.id)) this.#letGo(other);
  }

  #letGo(event: StoredEvent): void {
    this.#events.delete(event.id);
    this.#characters -= event.size;
    this.#budget.remove(event);
  }
}

function isMessage({ message }: StoredEvent): boolean {
  return 'jsonrpc' in message;
}

function isReply(message: JSONRPCMessage): boolean {
  return 'result' in message || 'error' in message;
}
