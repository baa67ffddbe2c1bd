import type { Config } from '../config/config.js';
import type { Log } from '../log.js';

/** What a command works with. stdout is its own: nothing here speaks MCP. */
export interface CommandContext {
  readonly config: Config;
  readonly log: Log;
  /** Aborted when the user wants an end. */
  readonly signal: AbortSignal;
}
