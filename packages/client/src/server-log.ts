/** Levels of the server's log, as its lines have them, that a person should know of. */
const names: Readonly<Record<number, string>> = { 40: 'warning', 50: 'error', 60: 'error' };

/**
 * A line of the server's stderr, for a person to read: of a log line its sentence, and why, without the data for
 * programs. Another line (the first start tells how it installs and builds) stays as it is.
 */
export function readableLogLine(line: string): string {
  const { level, msg, err } = parse(line);
  if (typeof msg !== 'string') return line;
  const name = names[Number(level)];
  const why = typeof err?.message === 'string' && !msg.includes(err.message) ? `: ${err.message}` : '';
  return `${name ? `${name}: ` : ''}${msg}${why}`;
}

interface LogLine {
  readonly level?: unknown;
  readonly msg?: unknown;
  readonly err?: { readonly message?: unknown } | null;
}

function parse(line: string): LogLine {
  try {
    return (JSON.parse(line) ?? {}) as LogLine;
  } catch {
    return {};
  }
}
