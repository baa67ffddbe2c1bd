/** Aborted by the first signal that asks for an end; the second one ends the process there and then. */
export function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** Writes a text to stdout and resolves with 0, the exit code, when it is out. */
export function print(text: string): Promise<0> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve(0)));
}
