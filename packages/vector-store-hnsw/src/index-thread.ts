import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { VectorStoreError } from '@kettle/vector-store';
import type { IndexSettings } from './hnsw-options.js';
import { IndexHost } from './index-host.js';
import { type ErrorMessage, openCall, type Reply, type Request } from './protocol.js';

// The thread that holds one index. Messages are served as they arrive, between the slices of longer work.

const port = parentPort as MessagePort;
const cancelled = new Set<number>();
const running = new Set<number>();

const host = openHost(workerData as IndexSettings);
host.then(
  ({ rebuild }) => reply({ call: openCall, result: { rebuild } }),
  (error) => reply({ call: openCall, error: errorMessage(error) }),
);

port.on('message', async (request: Request) => {
  if ('close' in request) {
    for (const call of running) cancelled.add(call);
    port.close();
    await (await host).stop();
    return;
  }
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

async function openHost(settings: IndexSettings): Promise<IndexHost> {
  // The parent listens from its next turn on.
  await nextTurn();
  return IndexHost.open(settings);
}

function reply(message: Reply): void {
  port.postMessage(message);
}

function errorMessage(error: unknown): ErrorMessage {
  if (error instanceof VectorStoreError) return { code: error.code, message: error.message };
  return { code: 'unavailable', message: `The HNSW index failed: ${error}` };
}
