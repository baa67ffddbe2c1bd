import { LoggingLevelSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { logLevels } from './log-levels.js';
import type { Method } from './method.js';
import { parseParams } from './params.js';

export const setLevel: Method = (params, { connection }) => {
  const schema = z.object({ level: LoggingLevelSchema });
  connection.logLevel = parseParams(
    schema,
    params,
    `logging/setLevel takes a level: ${logLevels.join(', ')}`,
  ).level;
  return {};
};
