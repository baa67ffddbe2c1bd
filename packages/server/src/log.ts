import { createRequire } from 'node:module';
import type { Logger } from 'pino';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** How every part of Kettle reports what happens: a level, a sentence, and data for programs. */
export type Log = (level: LogLevel, message: string, data?: Record<string, unknown>) => void;

const require = createRequire(import.meta.url);
const severity = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 100 } as const;

/** The lowest level that is written. */
export type LogThreshold = keyof typeof severity;

/** Every threshold there is, from the most to the least talkative. */
export const logThresholds = Object.keys(severity) as [LogThreshold, ...LogThreshold[]];

/**
 * A log of JSON lines on stderr; stdout belongs to the protocol. Lines are written before the call returns, so
 * that the last words of a process that ends are not lost. pino is loaded by the first line that is written:
 * a quiet start doesn't pay for it.
 */
export function createLog(threshold: LogThreshold): Log {
  let logger: Logger | undefined;
  return (level, message, data) => {
    if (severity[level] < severity[threshold]) return;
    logger ??= openLogger(threshold);
    logger[level](data ?? {}, message);
  };
}

function openLogger(level: string): Logger {
  const pino = require('pino') as typeof import('pino');
  const stderr = pino.destination({ fd: 2, sync: true });
  // A reader that went away must not end the server.
  stderr.on('error', () => {});
  return pino.pino({ level, base: { name: 'kettle' } }, stderr);
}
