import { parentPort, workerData } from 'node:worker_threads';
import { NativeGate } from '@kettle/native-gate';
import type { Request } from './serving/messages.js';
import { ModelServer } from './serving/model-server.js';

// The model's thread.

const port = parentPort!;
const gate = new NativeGate(workerData as SharedArrayBuffer);
// The imports above have loaded the native part, as the main thread announced.
gate.leave();
const server = new ModelServer({
  answer: (response, transfer) => port.postMessage(response, transfer),
  native: (work) => gate.runAsync(work),
});
port.on('message', (request: Request) => server.receive(request));
