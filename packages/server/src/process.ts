import type { Log } from './log.js';

/** Aborted by the first signal that asks for an end; the second one ends the process there and then. */
export function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** Pause between two looks at the parent process, in milliseconds. */
const parentLookMs = 1_000;

/** What started this process. */
export interface Parent {
  readonly pid: number;
  /** It only runs a script of package.json, such as `pnpm start`: when it is gone, the user wanted an end. */
  readonly runsScript: boolean;
}

/**
 * The process that started this one. To be asked for at once: when that one ends, the system names another parent.
 * `scripts/run.mjs` notes it before the minutes that setting up may take, with the id of the process which it is meant
 * for, since children inherit the note.
 */
export function parentAtStart(env: NodeJS.ProcessEnv): Parent {
  const [child, parent, how] = (env.KETTLE_STARTED_BY ?? '').split(':');
  return Number(child) === process.pid && Number.isSafeInteger(Number(parent))
    ? { pid: Number(parent), runsScript: how === 'script' }
    : { pid: process.ppid, runsScript: false };
}

/**
 * Aborted when the process that started this one is gone, also when it is already. A pipe alone does not tell: whoever
 * else holds its other end, such as a shell or a child of that process, keeps it open. Nothing is told on Windows,
 * which names no new parent.
 *
 * @param parent From {@link parentAtStart}.
 * @param remedy What to do for a server that is to stay; finishes the sentence in the log.
 */
export function stopWithParent({ pid }: Parent, remedy: string, log: Log): AbortSignal {
  const stop = new AbortController();
  const look = () => {
    if (process.ppid === pid) return;
    clearInterval(timer);
    log(
      'warn',
      `process ${pid}, which started this server, is gone, so the server ends; one that is to stay without it ${remedy}`,
    );
    stop.abort();
  };
  const timer = setInterval(look, parentLookMs).unref();
  look();
  return stop.signal;
}

/** Writes a text to stdout and resolves with 0, the exit code, when it is out. */
export function print(text: string): Promise<0> {
  return new Promise((resolve) => process.stdout.write(text, () => resolve(0)));
}
