import { Worker } from 'node:worker_threads';
import type { Response } from '../serving/messages.js';
import { ModelClient } from '../serving/model-client.js';
import { ExitGuard } from './exit-guard.js';

/**
 * The one thread of this process that runs models, also when this package is installed twice. onnxruntime's native
 * part loads in a single thread of a process, once, so this thread is never ended; while no call is under way it
 * doesn't keep the process alive.
 */
export function modelThread(): ModelClient {
  const key = Symbol.for('kettle.embedder.thread.v2');
  const registry = globalThis as { [key]?: ModelClient };
  registry[key] ??= startThread();
  return registry[key];
}

function startThread(): ModelClient {
  const guard = new ExitGuard();
  // The thread begins by loading onnxruntime's native part, which can't be interrupted either.
  guard.begin();
  process.once('exit', () => guard.waitAtExit());
  // What a library prints must not reach the process's own output, so it is held here. It isn't read: reading
  // would keep the process alive, and there are only a few warnings at most.
  const worker = new Worker(new URL('../worker.js', import.meta.url), {
    stdout: true,
    stderr: true,
    // Flags of the process may be none for a thread's file: `--input-type` ends it at once.
    execArgv: [],
    workerData: guard.memory,
  });
  const client = new ModelClient({
    name: 'thread',
    send: (request) => worker.postMessage(request),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  });
  worker.on('message', (response: Response) => client.settle(response));
  worker.on('error', (error) => client.end(error));
  worker.on('exit', () => {
    guard.giveUp();
    client.end();
  });
  worker.unref();
  return client;
}
