import { fileURLToPath } from 'node:url';
import { checkout, userCommand, userDirectory, userPath } from '../config/paths.js';
import { registryInputs } from '../config/registry-inputs.js';
import { print } from '../process.js';
import type { CommandContext } from './command-context.js';

/** How a client starts this very installation. */
interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Prints how to register this installation with clients, with the settings of `env`. Gives the exit code. */
export function runClients({ config }: CommandContext, env: NodeJS.ProcessEnv): Promise<0> {
  const launch: Launch = {
    // Clients that are started from a menu don't know the shell's PATH.
    command: process.execPath,
    args: checkout
      ? [userPath('scripts/run.mjs', checkout), 'packages/server/dist/main.js']
      : [fileURLToPath(new URL('../main.js', import.meta.url))],
    env: settings(env),
  };
  const file = JSON.stringify({ mcpServers: { kettle: launch } }, null, 2);
  return print(`To search ${config.corpusDirectory}:

Cursor: open this link
${cursorLink(launch)}

VS Code: open this link
${codeLink(launch)}

Claude Code: run this line
${claudeLine(launch)}

Claude Desktop, and others that have such a file:
${file}
`);
}

/** What is set, also what is secret, as it reads from any folder. HTTP is left out: these clients start the server on stdio. */
function settings(env: NodeJS.ProcessEnv): Record<string, string> {
  const from = userDirectory(env);
  const set: Record<string, string> = {};
  for (const { name, format } of registryInputs()) {
    const value = env[name];
    if (!value) continue;
    if (format === 'filepath') set[name] = userPath(value, from);
    else set[name] = name === 'CHROMA_COMMAND' ? userCommand(value, from) : value;
  }
  return set;
}

/** As https://cursor.com/docs/mcp/install-links says. */
function cursorLink(launch: Launch): string {
  const config = Buffer.from(JSON.stringify(launch)).toString('base64');
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=kettle&config=${encodeURIComponent(config)}`;
}

/** As https://code.visualstudio.com/api/extension-guides/ai/mcp says. */
function codeLink(launch: Launch): string {
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'kettle', type: 'stdio', ...launch }))}`;
}

function claudeLine({ command, args, env }: Launch): string {
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', quoted(`${name}=${value}`)]);
  return ['claude mcp add kettle', ...variables, '--', ...[command, ...args].map(quoted)].join(' ');
}

/** One word for a shell, whatever is in it. */
function quoted(word: string): string {
  if (/^[\w./:=@+-]+$/.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", `'\\''`)}'`;
}
