import { execFile } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleFiles } from '../support/sample-corpus.js';
import { cleanEnv } from '../support/server-process.js';
import { tempFolder } from '../support/temp-folder.js';

const run = promisify(execFile);
const bin = fileURLToPath(new URL('../../bin/kettle.mjs', import.meta.url));

interface Launch {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

describe('kettle clients', () => {
  let documents: string;
  let printed: string;
  /** What each client would start. */
  let launches: Record<'cursor' | 'code' | 'claudeCode' | 'file', Launch>;

  beforeAll(async () => {
    // A name that every way of writing has to get right.
    const folder = await tempFolder(
      Object.fromEntries(
        Object.entries(sampleFiles).map(([name, text]) => [`My "own" & Zoë's papers/${name}`, text]),
      ),
    );
    documents = join(folder, `My "own" & Zoë's papers`);
    const env = cleanEnv({
      INIT_CWD: dirname(documents),
      CORPUS_DIR: basename(documents),
      SEARCH_MODE: 'keyword',
      PORT: '8080',
      LOG_LEVEL: '',
    });
    printed = (await run(process.execPath, [bin, 'clients'], { env })).stdout;
    launches = {
      cursor: JSON.parse(
        Buffer.from(new URL(find(/^cursor:.*$/m)).searchParams.get('config')!, 'base64').toString(),
      ),
      code: JSON.parse(decodeURIComponent(find(/(?<=^vscode:mcp\/install\?).*$/m))),
      claudeCode: await asClaudeCode(find(/^claude mcp add .*$/m)),
      file: JSON.parse(find(/^\{.*^\}/ms)).mcpServers.kettle,
    };
  });

  const find = (pattern: RegExp) => pattern.exec(printed)![0];

  it('gives every client the same command, which works from any folder', () => {
    const { command, args, env } = launches.file;
    expect({ command, env }).toEqual({
      command: process.execPath,
      env: { CORPUS_DIR: documents, SEARCH_MODE: 'keyword' },
    });
    expect(args.at(-1)).toBe('packages/server/dist/main.js');
    expect(launches.cursor).toEqual(launches.file);
    expect(launches.code).toEqual({ name: 'kettle', type: 'stdio', ...launches.file });
    expect(launches.claudeCode).toEqual(launches.file);
    expect(printed).toContain(`To search ${documents}:\n`);
  });

  it('gives a command that starts a server', async () => {
    const { command, args, env } = launches.cursor;
    const client = new Client({ name: 'clients', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command,
        args,
        env: { ...env, INDEX_DIR: await tempFolder() },
        cwd: '/',
        stderr: 'ignore',
      }),
      { timeout: 300_000 },
    );
    try {
      const { structuredContent } = await client.callTool({ name: 'list_documents', arguments: {} });
      const { documents: listed } = structuredContent as { documents: { name: string }[] };
      expect(listed.map(({ name }) => name)).toContain('pets.txt');
    } finally {
      await client.close();
    }
  }, 400_000);
});

/** What a shell makes of a line for Claude Code. */
async function asClaudeCode(line: string): Promise<Launch> {
  const { stdout } = await run('sh', ['-c', `claude() { printf '%s\\0' "$@"; }; ${line}`]);
  const words = stdout.split('\0').slice(0, -1);
  expect(words.splice(0, 3)).toEqual(['mcp', 'add', 'kettle']);
  const env: Record<string, string> = {};
  while (words.shift() === '--env') {
    const [name, ...value] = words.shift()!.split('=');
    env[name!] = value.join('=');
  }
  const [command, ...args] = words;
  return { command: command!, args, env };
}
