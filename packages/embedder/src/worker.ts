import { parentPort, workerData } from 'node:worker_threads';
import type { Request } from './serving/messages.js';
import { ModelServer } from './serving/model-server.js';
import { ExitGuard } from './thread/exit-guard.js';

// The model's thread.

const port = parentPort!;
const guard = new ExitGuard(workerData as SharedArrayBuffer);
// The imports above have loaded the native part, as the main thread announced.
guard.finish();
const server = new ModelServer({
  answer: (response, transfer) => port.postMessage(response, transfer),
  native: (work) => guard.run(work),
});
port.on('message', (request: Request) => server.receive(request));
