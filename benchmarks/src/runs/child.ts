import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { JobInput, JobName, JobOutput } from './jobs.js';

/** What a job says while it works. */
export interface JobProgress {
  readonly message: string;
}

export interface ChildOptions {
  readonly onProgress?: (progress: JobProgress) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds after which the child is ended. @default 600000 */
  readonly deadline?: number;
}

/** Messages from child to parent. */
export type ChildMessage =
  | { readonly type: 'progress'; readonly message: string }
  | { readonly type: 'result'; readonly value: unknown }
  | { readonly type: 'error'; readonly message: string };

/** A job that failed. The message is what the child said last. */
export class JobError extends Error {
  override readonly name = 'JobError';
}

const entry = fileURLToPath(new URL('./child-entry.js', import.meta.url));

/**
 * Runs a job in a process of its own, so that one backend's memory, threads and caches never touch another's
 * numbers, and a crash in native code costs one row instead of the run.
 *
 * @throws {JobError} when the job fails, its process dies, or the deadline passes
 */
export function runInChild<N extends JobName>(
  name: N,
  input: JobInput<N>,
  { onProgress, signal, deadline = 600_000 }: ChildOptions = {},
): Promise<JobOutput<N>> {
  const child = fork(entry, [], {
    // The collector runs before memory is read.
    execArgv: ['--expose-gc', '--no-warnings'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let stderr = '';
    let outcome: { value: unknown } | { error: Error } | undefined;
    const end = (error: Error) => {
      outcome ??= { error };
      child.kill('SIGKILL');
    };
    const timer = setTimeout(
      () => end(new JobError(`no result after ${Math.round(deadline / 1000)} s`)),
      deadline,
    );
    const onAbort = () => end(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });

    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4000);
    });
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'progress') onProgress?.(message);
      else outcome ??= message.type === 'result' ? message : { error: new JobError(message.message) };
    });
    child.on('error', (cause) =>
      end(new JobError(`the process could not be used: ${cause.message}`, { cause })),
    );
    child.on('close', (code, killedBy) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (outcome && 'value' in outcome) resolve(outcome.value as JobOutput<N>);
      else
        reject(
          outcome?.error ??
            new JobError(`the process died (${killedBy ?? `exit code ${code}`}): ${lastLine(stderr)}`),
        );
    });
    if (signal?.aborted) onAbort();
    else child.send({ name, input });
  });
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
