export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Takes a log line. Libraries write nowhere by themselves. */
export type Log = (level: LogLevel, message: string, data?: Record<string, unknown>) => void;
