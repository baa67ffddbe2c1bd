import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { LoggingLevel } from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../app.js';

/** What one client has told us, and what it is told in return. */
export class Connection {
  readonly app: App;
  readonly server: Server;
  /** The revision agreed on; undefined until `initialize` was answered. */
  protocolVersion: string | undefined;
  /** The least severe log message the client wants; none until it asks. */
  logLevel: LoggingLevel | undefined;
  /** The client has seen the list of resources, so it wants to know when that changes. */
  listedResources = false;
  /** Uris of resources whose changes the client wants to know. */
  readonly subscriptions = new Set<string>();

  constructor(app: App, server: Server) {
    this.app = app;
    this.server = server;
  }

  /** Whether the agreed revision is this one or newer: revisions are dates. */
  speaks(revision: string): boolean {
    return this.protocolVersion !== undefined && this.protocolVersion >= revision;
  }
}
