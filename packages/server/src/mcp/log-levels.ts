import { type LoggingLevel, LoggingLevelSchema } from '@modelcontextprotocol/sdk/types.js';

/** Levels of log messages for clients, from the least to the most severe. */
export const logLevels: readonly LoggingLevel[] = LoggingLevelSchema.options;

/** Whether a message of this level goes to a client that asked for `threshold`. One that never asked gets none. */
export function isWanted(level: LoggingLevel, threshold: LoggingLevel | undefined): boolean {
  return threshold !== undefined && logLevels.indexOf(level) >= logLevels.indexOf(threshold);
}
