import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main, makeSmallCorpus, ServerProcess, type SmallCorpus } from './server-process.js';

const inspector = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector-cli');
const token = 'for-the-inspector';

let corpus: SmallCorpus;
let server: ServerProcess;
let targets: Record<'stdio' | 'http', string[]>;

beforeAll(async () => {
  corpus = await makeSmallCorpus();
  server = new ServerProcess({ ...corpus.env, MCP_AUTH_TOKEN: token });
  const url = await server.url();
  targets = {
    stdio: [process.execPath, main],
    http: [url.href, '--transport', 'http', '--header', `Authorization: Bearer ${token}`],
  };
}, 60_000);
afterAll(async () => {
  await server?.kill();
  await corpus?.remove();
});

/** What the inspector prints, which is the result of one request. */
async function inspect(transport: 'stdio' | 'http', ...args: string[]) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [inspector, '--cli', ...targets[transport], ...args],
    // It looks for its own package.json from the folder it is run in.
    { env: { ...process.env, ...corpus.env }, cwd: dirname(inspector) },
  );
  return JSON.parse(stdout);
}

describe.each(['stdio', 'http'] as const)("the inspector's command line over %s", (transport) => {
  it('lists the tools', async () => {
    const { tools } = await inspect(transport, '--method', 'tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'search',
      'list_documents',
      'get_document',
    ]);
  });

  it('calls each of them', async () => {
    const call = (name: string, ...args: string[]) =>
      inspect(
        transport,
        '--method',
        'tools/call',
        '--tool-name',
        name,
        ...args.flatMap((arg) => ['--tool-arg', arg]),
      );
    expect(await call('search', 'query=can I bring a dog', 'top_k=1')).toMatchObject({
      isError: false,
      structuredContent: { results: [{ source: 'dogs.txt' }] },
    });
    expect(await call('list_documents')).toMatchObject({ content: [{ text: 'dogs.txt\nhours.txt' }] });
    expect(await call('get_document', 'name=hours.txt')).toMatchObject({
      content: [{ text: 'We open at eight and close at six.\n' }],
    });
  }, 120_000);

  it('reads a resource', async () => {
    const { resources } = await inspect(transport, '--method', 'resources/list');
    expect(resources).toHaveLength(2);
    const read = await inspect(transport, '--method', 'resources/read', '--uri', resources[0].uri);
    expect(read).toMatchObject({ contents: [{ text: 'Dogs are welcome on the terrace.\n' }] });
  });
});
