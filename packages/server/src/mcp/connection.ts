import type { IndexChange } from '@kettle/search';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { LoggingLevel, ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../app.js';
import { isWanted } from './log-levels.js';

/** What one client has told us, and what it is told without asking. */
export class Connection {
  readonly app: App;
  readonly #server: Server;
  #protocolVersion: string | undefined;
  /** The least severe log message the client wants; none until it asks. */
  logLevel: LoggingLevel | undefined;
  /** The client has seen the list of resources. */
  listedResources = false;
  /**
   * Documents whose changes the client wants to know, with the uri it named them by. One uri each: a name can be
   * percent-encoded in millions of ways, and a client that tries them must not fill our memory.
   */
  readonly subscriptions = new Map<string, string>();

  constructor(app: App, server: Server) {
    this.app = app;
    this.#server = server;
  }

  /** The revision agreed on; undefined until `initialize` is answered. */
  get protocolVersion(): string | undefined {
    return this.#protocolVersion;
  }

  /** Settles the revision, for the transport too: its framing may depend on it. */
  agreeOn(revision: string): void {
    this.#protocolVersion = revision;
    this.#server.transport?.setProtocolVersion?.(revision);
  }

  /** Whether the agreed revision is this one or a newer one: revisions are dates. */
  speaks(revision: string): boolean {
    return this.#protocolVersion !== undefined && this.#protocolVersion >= revision;
  }

  /** Sends a log message to a client that wants it. No paths: the client may be another machine's. */
  log(level: LoggingLevel, data: unknown): void {
    if (isWanted(level, this.logLevel))
      this.#send({ method: 'notifications/message', params: { level, logger: 'kettle', data } });
  }

  /**
   * Tells the client which documents changed. The first synchronisation is no news to one that has not looked yet:
   * simple clients expect the next line to be the answer they wait for.
   */
  tellChange({ added, changed, removed }: IndexChange, isFirst: boolean): void {
    if (this.#protocolVersion === undefined) return;
    const unknown = added.length + changed.length + removed.length === 0;
    if ((unknown || added.length + removed.length > 0) && (this.listedResources || !isFirst))
      this.#send({ method: 'notifications/resources/list_changed' });
    const touched = new Set([...added, ...changed, ...removed]);
    for (const [name, uri] of this.subscriptions) {
      if (unknown || touched.has(name))
        this.#send({ method: 'notifications/resources/updated', params: { uri } });
    }
    this.log('info', {
      message: 'documents changed',
      added: added.length,
      changed: changed.length,
      removed: removed.length,
    });
  }

  #send(notification: ServerNotification): void {
    // A client that just went away misses nothing.
    this.#server.notification(notification).catch(() => {});
  }
}
