import { parseArgs } from 'node:util';
import { readVersion } from '../app.js';
import { type Config, readConfig } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import { variablesAsText } from '../config/table.js';
import { createLog, type Log } from '../log.js';
import { print, stopOnSignals } from '../process.js';
import { runDoctor } from './doctor.js';
import { runIndex } from './index-command.js';
import { runStatus } from './status.js';

/** What a command works with. stdout is its own: nothing here speaks MCP. */
export interface CommandContext {
  readonly config: Config;
  readonly log: Log;
  /** Aborted when the user wants an end. */
  readonly signal: AbortSignal;
}

const usage = `Usage: kettle COMMAND [OPTION]

  index [--force]   bring the index level with the documents, ahead of the first search
                    (--force reads every file again, also those that look unchanged)
  status [--json]   what is indexed, by which model, in which backend, how large and how fresh
  doctor            what is wrong, and what to do about it
  --help            this text
  --version         Kettle's version

Exit code: 0 done, 1 failed or something is wrong, 2 not understood. The server itself is started by
\`pnpm --filter server start\`. Both are set by environment variables:

`;

/** Runs one command. Gives the exit code. */
export async function runCli(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const { command, options } = understand(args);
    if (command === 'help') return print(`${usage}${variablesAsText()}`);
    if (command === 'version') return print(`${readVersion()}\n`);
    // Without a word from the user only what goes wrong is logged: the commands say the rest themselves.
    const config = readConfig({ ...env, LOG_LEVEL: env.LOG_LEVEL || 'warn' });
    const context = { config, log: createLog(config.logLevel), signal: stopOnSignals() };
    if (command === 'index') return await runIndex(context, options.force);
    if (command === 'status') return await runStatus(context, options.json);
    return await runDoctor(context);
  } catch (error) {
    const { message } = error as Error;
    process.stderr.write(`kettle: ${message.replaceAll('\n', ' ')}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
}

type Command = 'index' | 'status' | 'doctor' | 'help' | 'version';

function understand(args: readonly string[]): {
  command: Command;
  options: { force: boolean; json: boolean };
} {
  const { values, positionals } = parse(args);
  const [command, ...more] = positionals;
  const options = { force: values.force ?? false, json: values.json ?? false };
  if (values.help) return { command: 'help', options };
  if (values.version) return { command: 'version', options };
  const known = command === 'index' || command === 'status' || command === 'doctor';
  const fits = (!options.force || command === 'index') && (!options.json || command === 'status');
  if (!known || more.length > 0 || !fits) throw notUnderstood(args);
  return { command, options };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      // pnpm hands a `--` before the arguments on as it is.
      args: args[0] === '--' ? args.slice(1) : [...args],
      allowPositionals: true,
      options: {
        force: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    });
  } catch {
    throw notUnderstood(args);
  }
}

function notUnderstood(args: readonly string[]): ConfigError {
  const given = args.length === 0 ? 'nothing' : JSON.stringify(args.join(' '));
  return new ConfigError(
    `the arguments must be index [--force], status [--json], doctor, --help or --version, not ${given}`,
  );
}
