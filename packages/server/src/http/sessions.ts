import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { EventBudget } from './event-budget.js';
import type { HttpLimits } from './limits.js';
import { Session } from './session.js';

export interface SessionsOptions {
  /** Makes the MCP server of one session. */
  readonly createServer: () => Server;
  readonly limits: HttpLimits;
  /** The time in milliseconds. */
  readonly now: () => number;
}

/** The open sessions. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #open = new Map<string, Session>();
  readonly #eventBudget: EventBudget;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#eventBudget = new EventBudget(options.limits.storedCharactersInAll);
  }

  get size(): number {
    return this.#open.size;
  }

  get(id: string): Session | undefined {
    return this.#open.get(id);
  }

  /**
   * A session that is open as soon as it has accepted an `initialize`. Undefined when there are too many.
   *
   * @param client whom it belongs to; behind a proxy all are one
   */
  async create(client: string): Promise<Session | undefined> {
    const { createServer, limits, now } = this.#options;
    if (this.#open.size >= limits.sessions && !(await this.#closeOneIdle(client))) return undefined;
    const session = new Session({
      client,
      server: createServer(),
      limits,
      eventBudget: this.#eventBudget,
      now,
      onOpen: (opened) => this.#open.set(opened.id, opened),
      onClose: (closed) => this.#open.delete(closed.id),
    });
    await session.connect();
    return session;
  }

  /** Ends the sessions that nobody has used for long. */
  async sweep(): Promise<void> {
    const idle = [...this.#open.values()].filter(
      ({ idleMs }) => idleMs >= this.#options.limits.sessionIdleMs,
    );
    await Promise.all(idle.map((session) => session.close()));
  }

  endStreams(): void {
    for (const session of this.#open.values()) session.endStreams();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session.close()));
  }

  /**
   * One of the client that has the most of them, and never of one that has fewer than the newcomer: a client that opens
   * and opens ends its own, or is refused. Of equals first those that were only opened, then the longest idle.
   */
  async #closeOneIdle(newcomer: string): Promise<boolean> {
    const counts = new Map<string, number>();
    for (const { client } of this.#open.values()) counts.set(client, (counts.get(client) ?? 0) + 1);
    const [session] = [...this.#open.values()]
      .filter(({ idleMs, client }) => idleMs > 0 && counts.get(client)! >= (counts.get(newcomer) ?? 0))
      .sort(
        (a, b) =>
          counts.get(b.client)! - counts.get(a.client)! ||
          Number(a.isUsed) - Number(b.isUsed) ||
          b.idleMs - a.idleMs,
      );
    if (!session) return false;
    await session.close();
    return true;
  }
}
