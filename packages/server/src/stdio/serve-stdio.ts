import type { App } from '../app.js';
import { createMcpServer } from '../mcp/server.js';
import { StdioTransport } from './stdio-transport.js';

/**
 * How long answering may still take after the end of input, in milliseconds. A client that pipes its questions in and
 * waits for the answers gets them also when a small corpus has to be indexed first.
 */
const graceAfterInput = 60_000;
/** The same after a signal: whoever sends one expects an end. */
const graceAfterSignal = 1_000;
/** How long the index may take to close. */
const graceForClosing = 5_000;

/**
 * Serves one client on stdin and stdout until its input ends, it goes away, or `stop` is aborted. Answers what is
 * in flight, with an error where that takes longer than the grace, and resolves when all of it is written.
 */
export async function serveStdio(app: App, stop: AbortSignal): Promise<void> {
  if (process.stdin.isTTY)
    process.stderr.write(
      'kettle: this speaks MCP and waits for a client; Ctrl-D ends it, --help says more\n',
    );
  const transport = new StdioTransport(process.stdin, process.stdout);
  const stopped = new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });
  await createMcpServer(app).connect(transport);
  await Promise.race([transport.ended, stopped]);
  const graceful = async (work: () => Promise<void>) => {
    if (!stop.aborted) await within(graceAfterInput, Promise.race([work(), stopped]));
    if (stop.aborted) await within(graceAfterSignal, work());
  };
  await graceful(() => transport.idle());
  // Calls that still wait for the index are rejected by this, and so are answered.
  await within(graceForClosing, app.close());
  await graceful(() => transport.idle().then(() => transport.flush()));
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
