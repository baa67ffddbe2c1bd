import { Worker } from 'node:worker_threads';
import { NativeGate } from '@kettle/native-gate';
import type { Response } from '../serving/messages.js';
import { ModelClient } from '../serving/model-client.js';

/** Milliseconds. Loading a large model may take this long; then an abort is better than a process that stays. */
const longestWait = 5000;

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
  const gate = new NativeGate();
  // The thread begins by loading onnxruntime's native part, which can't be interrupted either.
  gate.enter();
  process.once('exit', () => {
    gate.shut();
    gate.waitUntilEmpty(longestWait);
  });
  // What a library prints must not reach the process's own output, so it is held here. It isn't read: reading
  // would keep the process alive, and there are only a few warnings at most.
  const worker = new Worker(new URL('../worker.js', import.meta.url), {
    stdout: true,
    stderr: true,
    // Flags of the process may be none for a thread's file: `--input-type` ends it at once.
    execArgv: [],
    workerData: gate.memory,
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
    gate.empty();
    client.end();
  });
  worker.unref();
  return client;
}
