import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app.js';
import { HttpService } from './http-service.js';

/** How long the index may take to close, in milliseconds. */
const graceForClosing = 5_000;

/**
 * Serves clients over HTTP until `stop` is aborted. Then it answers what is in flight, with an error where that
 * takes longer than the time of grace, and resolves when everything is closed.
 */
export async function serveHttp(app: App, stop: AbortSignal): Promise<void> {
  const service = new HttpService(app);
  await service.listen();
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  await service.drain();
  // Calls that still wait for the index are rejected by this, and so are answered.
  await Promise.race([app.close(), delay(graceForClosing)]);
  await service.close();
}
