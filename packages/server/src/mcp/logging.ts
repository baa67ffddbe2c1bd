import { type LoggingLevel, LoggingLevelSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Method } from './method.js';
import { parseParams } from './params.js';

const levels = LoggingLevelSchema.options;

export const setLevel: Method = (params, { connection }) => {
  const schema = z.object({ level: LoggingLevelSchema });
  connection.logLevel = parseParams(
    schema,
    params,
    `logging/setLevel takes a level: ${levels.join(', ')}`,
  ).level;
  return {};
};

/** Whether a message of this level goes to a client that asked for `threshold`. One that never asked gets none. */
export function isWanted(level: LoggingLevel, threshold: LoggingLevel | undefined): boolean {
  return threshold !== undefined && levels.indexOf(level) >= levels.indexOf(threshold);
}
