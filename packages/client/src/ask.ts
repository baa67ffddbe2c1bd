// pnpm ask "can I bring a dog": starts the server, asks it once, prints what it found.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import { serverCommand } from './server-command.js';
import { exitCodeOf, isServerEnd, reasonOf } from './server-end.js';
import { readableLogLine } from './server-log.js';
import { replyTimeout } from './timeout.js';

const usage = `Usage: pnpm ask [--top-k N] QUESTION…

Prints the passages that answer the question best, best first, each with the document it comes from and its
cosine distance (0 to 2, smaller is closer in meaning; words count for the order too, see SEARCH_MODE).

  -k, --top-k N   how many passages, 1 to 50 (default 5)
  -h, --help      this text

The server's environment variables apply, for example: CORPUS_DIR=~/notes pnpm ask what did we decide
Exit code: 0 answered, 1 the server failed, 2 the question or a setting was not understood.`;

interface SearchResult {
  readonly rank: number;
  readonly source: string;
  readonly distance: number;
  readonly passage: string;
}

/** Longest silence of the server while it works; each report of progress starts it anew. */
const timeout = replyTimeout('ask');

/** A question that can't be asked; its message is for the person who typed it. */
class UsageError extends Error {}

/** The server ended because of a bad setting, which it has told of. */
class SettingError extends Error {}

async function main(args: string[]): Promise<void> {
  const { question, topK, help } = readArguments(args);
  if (help) return console.log(usage);
  // Warnings only: whoever asks a question did not come for the log.
  const transport = new StdioClientTransport({
    ...serverCommand({ LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' }),
    stderr: 'pipe',
  });
  const exitCode = exitCodeOf(transport);
  const log = createInterface({ input: transport.stderr as Readable });
  const logEnd = once(log, 'close');
  log.on('line', (line) => {
    clearProgress();
    process.stderr.write(`${readableLogLine(line)}\n`);
  });
  const client = new Client({ name: 'kettle-ask', version: '0.1.0' });
  try {
    await client.connect(transport, { timeout });
    const call = { name: 'search', arguments: { query: question, top_k: topK } };
    const options = { timeout, resetTimeoutOnProgress: true, onprogress: showProgress };
    const answer = (await client.callTool(call, undefined, options)) as CallToolResult;
    clearProgress();
    if (answer.isError) throw new Error(textOf(answer));
    console.log(readable(answer.structuredContent?.results as SearchResult[]));
  } catch (error) {
    if (!isServerEnd(error)) throw error;
    await logEnd; // The reason comes first.
    throw exitCode() === 2 ? new SettingError(reasonOf(error)) : error;
  } finally {
    await client.close();
  }
}

function readArguments(args: string[]) {
  // pnpm hands a `--` before the arguments on as it is.
  const { values, positionals } = parse(args[0] === '--' ? args.slice(1) : args);
  const question = positionals.join(' ').trim();
  const topK = Number(values['top-k']);
  if (!values.help && question === '')
    throw new UsageError('ask something, for example: pnpm ask "can I bring a dog"');
  if (!Number.isInteger(topK) || topK < 1 || topK > 50)
    throw new UsageError(`--top-k takes a whole number from 1 to 50, not "${values['top-k']}"`);
  return { question, topK, help: values.help };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        'top-k': { type: 'string', short: 'k', default: '5' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function showProgress({ progress, total, message }: Progress): void {
  const line = message ?? `working: ${Math.round((100 * progress) / (total || 1))} %`;
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
}

/** The line that shows progress makes room for what follows. */
function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

function readable(results: readonly SearchResult[]): string {
  if (results.length === 0) return 'Nothing was found.';
  return results
    .map(({ rank, source, distance, passage }) => {
      const text = passage.trim().replaceAll(/^(?=.)/gm, '   ');
      return `${rank}. ${source} (distance ${distance.toFixed(2)})\n\n${text}\n`;
    })
    .join('\n');
}

function textOf(answer: CallToolResult): string {
  return answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`ask: ${reasonOf(error)}`);
  if (error instanceof UsageError) console.error('\nSee: pnpm ask --help');
  process.exitCode = error instanceof UsageError || error instanceof SettingError ? 2 : 1;
});
