import type { ProgressToken, Result, ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import type { Connection } from './connection.js';

/** One request on its way. */
export interface Call {
  readonly connection: Connection;
  /** Aborted when the client cancels or is gone. */
  readonly signal: AbortSignal;
  /** There when the client wants to hear of progress. */
  readonly progressToken: ProgressToken | undefined;
  /** Sends a notification that belongs to this request. */
  notify(notification: ServerNotification): Promise<void>;
}

/** Serves the requests of one method. An RpcError goes to the client as it is; another error as an internal one. */
export type Method = (params: Readonly<Record<string, unknown>>, call: Call) => Result | Promise<Result>;
