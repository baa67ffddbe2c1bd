/** Aborted by the first signal that asks for an end; the second one ends the process there and then. */
export function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** Pause between two looks at the parent process, in milliseconds. */
const parentLookMs = 1_000;

/**
 * Aborted when the process that started this one is gone. A pipe alone does not tell: whoever else holds its other end,
 * such as a shell or a child of that process, keeps it open. Nothing is told on Windows, which names no new parent.
 */
export function stopWithParent(): AbortSignal {
  const stop = new AbortController();
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop.abort();
  }, parentLookMs);
  timer.unref();
  return stop.signal;
}

/** Writes a text to stdout and resolves with 0, the exit code, when it is out. */
export function print(text: string): Promise<0> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve(0)));
}
