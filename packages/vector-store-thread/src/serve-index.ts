import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { NativeGate } from '@kettle/native-gate';
import { VectorStoreError } from '@kettle/vector-store';
import { gatedEngine } from './gated-engine.js';
import type { GraphEngine } from './graph.js';
import { IndexHost } from './index-host.js';
import {
  type ErrorMessage,
  openCall,
  probeCall,
  type Reply,
  type Request,
  type ThreadData,
} from './protocol.js';

/**
 * Serves one index in this thread: to be called in the module that {@link ThreadedVectorStore} starts. Messages
 * are served as they arrive, between the slices of longer work.
 *
 * @param loadEngine Rejects with a VectorStoreError where the library can't be loaded.
 */
export function serveIndex(loadEngine: () => Promise<GraphEngine>): void {
  const port = parentPort as MessagePort;
  const cancelled = new Set<number>();
  const running = new Set<number>();
  const reply = (message: Reply) => port.postMessage(message);

  const { settings, gate: memory } = workerData as ThreadData;
  // An exit ends this thread only.
  const gate = new NativeGate(memory, () => process.exit());
  const host = gate
    .runAsync(loadEngine)
    .then((engine) => IndexHost.open(gatedEngine(engine, gate), settings));
  host.then(
    ({ rebuild }) => reply({ call: openCall, result: { rebuild } }),
    (error) => reply({ call: openCall, error: errorMessage(error) }),
  );

  const close = async () => {
    for (const call of running) cancelled.add(call);
    const opened = await host.catch(() => undefined);
    await opened?.stop();
    port.close();
  };

  port.on('message', async (request: Request) => {
    if ('close' in request) return close();
    if ('probe' in request) return reply({ call: probeCall, result: undefined });
    const { call } = request;
    if ('cancel' in request) {
      if (running.has(call)) cancelled.add(call);
      return;
    }
    running.add(call);
    try {
      const result = await (await host).run(request.operation, () => cancelled.has(call));
      reply({ call, result });
    } catch (error) {
      reply({ call, error: errorMessage(error) });
    } finally {
      running.delete(call);
      cancelled.delete(call);
    }
  });
}

function errorMessage(error: unknown): ErrorMessage {
  if (error instanceof VectorStoreError) return { code: error.code, message: error.message };
  return { code: 'unavailable', message: `The index failed: ${error}` };
}
