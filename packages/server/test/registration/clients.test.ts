import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSmallCorpus, ServerProcess, type SmallCorpus } from '../http/server-process.js';

interface Entry {
  readonly type?: string;
  readonly command?: string;
  readonly args?: string[];
  readonly env?: Record<string, string>;
  readonly url?: string;
  readonly headers?: Record<string, string>;
}

const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
const markdown = await readFile(`${root}/docs/clients.md`, 'utf8');

function blocks(language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    (match) => match[1]!,
  );
}

/** The server that a configuration file names. */
function entryOf(config: { mcpServers?: { kettle: Entry }; servers?: { kettle: Entry } }): Entry {
  return (config.mcpServers ?? config.servers)!.kettle;
}

const entries = blocks('json').map((block) => entryOf(JSON.parse(block)));
const [startedHere, reachedByHttp] = [
  entries.filter(({ command }) => command),
  entries.filter(({ url }) => url),
];

/** What Claude Code's command line would start. */
function fromCommandLine(line: string): Entry {
  const [options, command] = line.trim().split(' -- ') as [string, string];
  const [program, ...args] = command.split(' ');
  const [name, ...value] = / --env (\S+)/.exec(options)![1]!.split('=');
  return { command: program!, args, env: { [name!]: value.join('=') } };
}

describe('docs/clients.md', () => {
  let corpus: SmallCorpus;
  beforeAll(async () => {
    corpus = await makeSmallCorpus();
  });
  afterAll(() => corpus.remove());

  const here = (text: string) =>
    text.replaceAll('/path/to/kettle', root).replaceAll('/path/to/documents', corpus.env.CORPUS_DIR!);

  async function toolsOver(transport: Transport): Promise<string[]> {
    const client = new Client({ name: 'documentation', version: '0.0.0' });
    try {
      await client.connect(transport, { timeout: 300_000 });
      const { structuredContent } = await client.callTool({ name: 'list_documents', arguments: {} });
      expect(structuredContent).toMatchObject({ documents: [{ name: 'dogs.txt' }, { name: 'hours.txt' }] });
      return (await client.listTools()).tools.map(({ name }) => name);
    } finally {
      await client.close();
    }
  }

  it('has a configuration for each client', () => {
    expect(startedHere).toHaveLength(3);
    expect(reachedByHttp).toHaveLength(1);
  });

  const claudeCode = blocks('sh')
    .filter((block) => block.includes(' -- '))
    .map(fromCommandLine);
  it.each([...startedHere, ...claudeCode].map((entry, index) => ({ entry, index })))(
    'starts a server that answers ($index)',
    async ({ entry: { command, args, env } }) => {
      const variables = Object.entries(env!).map(([name, value]) => [name, here(value)]);
      const transport = new StdioClientTransport({
        command: command!,
        args: args!.map(here),
        // As a client does: a bare environment, and what the configuration says.
        env: { INDEX_DIR: corpus.env.INDEX_DIR!, ...Object.fromEntries(variables) },
        cwd: '/',
        stderr: 'inherit',
      });
      expect(await toolsOver(transport)).toEqual(['search', 'list_documents', 'get_document']);
    },
    400_000,
  );

  it('reaches a server over HTTP', async () => {
    const [{ url, headers }] = reachedByHttp as [Entry];
    const [start] = blocks('sh').filter((block) => block.startsWith('MCP_TRANSPORT'));
    const variables = [...start!.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, here(value!)]);
    const server = new ServerProcess({ ...Object.fromEntries(variables), INDEX_DIR: corpus.env.INDEX_DIR! });
    try {
      const address = await server.url();
      expect(new URL(url!).pathname).toBe(address.pathname);
      const transport = new StreamableHTTPClientTransport(address, { requestInit: { headers: headers! } });
      expect(await toolsOver(transport as unknown as Transport)).toHaveLength(3);
    } finally {
      await server.kill();
    }
  });

  it('links to the same configurations', () => {
    const links = [...markdown.matchAll(/\((https:\/\/[^)]*install[^)]*)\)/g)].map(
      (match) => new URL(match[1]!).searchParams,
    );
    const [cursor, code] = links as [URLSearchParams, URLSearchParams];
    expect(links.map((link) => link.get('name'))).toEqual(['kettle', 'kettle']);
    expect(JSON.parse(Buffer.from(cursor.get('config')!, 'base64').toString())).toEqual(startedHere[1]);
    // VS Code asks for what differs from user to user.
    const asked = new Map([
      ['kettle', '/path/to/kettle'],
      ['documents', '/path/to/documents'],
    ]);
    const inputs: { id: string; type: string; description: string }[] = JSON.parse(code.get('inputs')!);
    expect(inputs.map(({ id, type }) => [id, type])).toEqual(
      [...asked.keys()].map((id) => [id, 'promptString']),
    );
    const answered = code.get('config')!.replaceAll(/\$\{input:(\w+)\}/g, (_, id) => asked.get(id)!);
    expect(JSON.parse(answered)).toEqual(startedHere[2]);
  });
});
