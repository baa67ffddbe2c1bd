// The one thread that writes the catalog. Calls are done in the order in which they come.
import { parentPort, workerData } from 'node:worker_threads';
import { CatalogChanges } from './catalog-changes.js';
import type { Reply, Request } from './catalog-writer.js';
import { connect } from './connect.js';

const db = connect(workerData as string, { fileMustExist: true });
const changes = new CatalogChanges(db);

parentPort!.on('message', (request: Request) => {
  if ('close' in request) {
    db.close();
    parentPort!.close();
    return;
  }
  parentPort!.postMessage(answer(request));
});

function answer({ id, method, args }: Extract<Request, { method: unknown }>): Reply {
  try {
    (changes[method] as (...args: unknown[]) => void)(...args);
    return { id };
  } catch (error) {
    const { name, message, code } = error as Error & { code?: unknown };
    return { id, error: { name, message, code: code === undefined ? undefined : String(code) } };
  }
}
