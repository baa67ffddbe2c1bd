import { parseArgs } from 'node:util';
import { readVersion } from '../app.js';
import { type Config, readConfig } from '../config/config.js';
import { ConfigError } from '../config/config-error.js';
import { variablesAsText } from '../config/table.js';
import { createLog } from '../log.js';
import { print, stopOnSignals } from '../process.js';
import type { CommandContext } from './command-context.js';

const usage = `Usage: kettle COMMAND [OPTION]

  serve             the MCP server itself: JSON-RPC on stdin and stdout, or HTTP where MCP_TRANSPORT says so
  index [--force]   bring the index up to date with the documents, ahead of the first search
                    (--force reads every file again, also those that look unchanged)
  status [--json]   what is indexed, by which model, in which backend, how large and how fresh
  doctor            what is wrong, and what to do about it
  clients           what to give to MCP clients so that they start this server, as links and lines to copy
  --help            this text
  --version         Kettle's version

Exit code: 0 done, 1 failed or something is wrong, 2 not understood. Everything is set by environment variables:

`;

/** Runs one command. Gives the exit code. */
export async function runCli(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const { command, options } = understand(args);
    if (command === 'help') return print(`${usage}${variablesAsText()}`);
    if (command === 'version') return print(`${readVersion()}\n`);
    if (command === 'serve') return await (await import('../run.js')).run([], env);
    // Without a word from the user only what goes wrong is logged: the commands say the rest themselves.
    const config = configFor(command, { ...env, LOG_LEVEL: env.LOG_LEVEL || 'warn' });
    const context: CommandContext = { config, log: createLog(config.logLevel), signal: stopOnSignals() };
    // Each command is imported when it is called for, so that `serve` starts as fast as the server itself.
    if (command === 'index')
      return await (await import('./index-command.js')).runIndex(context, options.force);
    if (command === 'status') return await (await import('./status.js')).runStatus(context, options.json);
    if (command === 'clients') return (await import('./clients.js')).runClients(context, env);
    return await (await import('./doctor.js')).runDoctor(context);
  } catch (error) {
    const { message } = error as Error;
    process.stderr.write(`kettle: ${message.replaceAll('\n', ' ')}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }
}

function configFor(command: Command, env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env);
  } catch (error) {
    if (command !== 'doctor' || !(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${error.message}. Nothing else was checked: run doctor again after changing it.`);
  }
}

const commands = ['serve', 'index', 'status', 'doctor', 'clients'] as const;

type Command = (typeof commands)[number] | 'help' | 'version';

function understand(args: readonly string[]): {
  command: Command;
  options: { force: boolean; json: boolean };
} {
  const { values, positionals } = parse(args);
  const [command, ...more] = positionals;
  const options = { force: values.force ?? false, json: values.json ?? false };
  if (values.help) return { command: 'help', options };
  if (values.version) return { command: 'version', options };
  const known = commands.find((name) => name === command);
  const fits = (!options.force || command === 'index') && (!options.json || command === 'status');
  if (!known || more.length > 0 || !fits) throw notUnderstood(args);
  return { command: known, options };
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
    `the arguments must be serve, index [--force], status [--json], doctor, clients, --help or --version, not ${given}. See kettle --help`,
  );
}
