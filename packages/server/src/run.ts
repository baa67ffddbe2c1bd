import { createApp, readVersion } from './app.js';
import { readConfig } from './config/config.js';
import { ConfigError } from './config/config-error.js';
import { variablesAsText } from './config/table.js';
import { createLog } from './log.js';
import { parentAtStart, print, stopOnSignals, stopWithParent } from './process.js';

const usage = `Usage: node packages/server/dist/main.js   (or: pnpm --filter server start)

An MCP server that searches a folder of documents. It takes no arguments but --help and --version; everything is
set by environment variables:

`;

/** Runs the server until it has served. Gives the exit code: 0 served, 1 failed, 2 not understood. */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const wish = wishOf(args);
    if (wish === 'help') return print(`${usage}${variablesAsText()}`);
    if (wish === 'version') return print(`${readVersion()}\n`);
    await serve(env);
    return 0;
  } catch (error) {
    const { message, code } = error as Error & { code?: unknown };
    process.stderr.write(`kettle: ${message.replaceAll('\n', ' ')}\n`);
    return code === 'bad_config' ? 2 : 1;
  }
}

function wishOf(args: readonly string[]): 'serve' | 'help' | 'version' {
  const [first, ...more] = args;
  if (first === undefined) return 'serve';
  if (more.length === 0 && (first === '--help' || first === '-h')) return 'help';
  if (more.length === 0 && (first === '--version' || first === '-v')) return 'version';
  throw new ConfigError(
    `arguments must be --help, --version or nothing, not ${JSON.stringify(args.join(' '))}`,
  );
}

async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const parent = parentAtStart(env);
  const config = readConfig(env);
  const log = createLog(config.logLevel);
  // A slip in one call must not end the server for all others.
  process.on('unhandledRejection', (error) =>
    log('error', 'a promise was rejected and nobody noticed', { err: error }),
  );
  const app = await createApp(config, log);
  const stop = stopOnSignals();
  // Each transport brings much that the other doesn't need.
  if (config.transport === 'http') {
    const { serveHttp } = await import('./http/serve-http.js');
    // pnpm passes a signal on to its shell only, which leaves the server behind. Whoever else starts it may go.
    const remedy = 'is started with `node scripts/run.mjs packages/server/dist/main.js`';
    const ends = parent.runsScript ? AbortSignal.any([stop, stopWithParent(parent, remedy, log)]) : stop;
    await serveHttp(app, ends);
  } else {
    const { serveStdio } = await import('./stdio/serve-stdio.js');
    // A server on stdio has one client, its parent.
    await serveStdio(app, AbortSignal.any([stop, stopWithParent(parent, 'needs MCP_TRANSPORT=http', log)]));
  }
}
