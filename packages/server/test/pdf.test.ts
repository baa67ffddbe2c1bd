import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanEnv, mainFile } from './support/server-process.js';
import { smallPdf } from './support/small-pdf.js';
import { tempFolder } from './support/temp-folder.js';

const sentence = 'Every guest may leave a bicycle in the yard behind the bakery.';
const name = 'rules/House rules.pdf';
const uri = 'kettle://documents/rules%2FHouse%20rules.pdf';

let env: Record<string, string>;
let client: Client;

beforeAll(async () => {
  const corpus = await tempFolder({
    'tea.txt': 'Tea is served with milk until four in the afternoon.',
    [name]: smallPdf(sentence),
    'broken.pdf': smallPdf(sentence).subarray(0, 30),
  });
  env = cleanEnv({ CORPUS_DIR: corpus, INDEX_DIR: await tempFolder() }) as Record<string, string>;
  client = new Client({ name: 'test', version: '1' });
  // Its stdout holds nothing but the protocol, or this client complains.
  client.onerror = (error) => expect.unreachable(error.message);
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [mainFile], env, stderr: 'ignore' }),
  );
  await client.listTools();
});
afterAll(() => client.close());

it('finds what a PDF says', async () => {
  const { structuredContent } = await client.callTool({
    name: 'search',
    arguments: { query: 'where can I park my bike?' },
  });
  const { results } = structuredContent as { results: { source: string; passage: string }[] };
  expect(results[0]).toMatchObject({ source: name, passage: expect.stringContaining(sentence) });
});

it('gives the text of a PDF as a document and as a resource', async () => {
  expect(await client.callTool({ name: 'get_document', arguments: { name } })).toMatchObject({
    structuredContent: { text: sentence },
  });
  expect((await client.readResource({ uri })).contents).toEqual([
    { uri, mimeType: 'text/plain', text: sentence },
  ]);
});

it('lists only PDFs that can be read, and says why another one is not', async () => {
  const { structuredContent } = await client.callTool({ name: 'list_documents', arguments: {} });
  const { documents } = structuredContent as { documents: { name: string }[] };
  expect(documents.map((document) => document.name)).toEqual([name, 'tea.txt']);
  expect(await client.callTool({ name: 'get_document', arguments: { name: 'broken.pdf' } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('damaged, a scan, or protected') }],
  });
});

it('tells who indexes which PDF is left out, and why', async () => {
  const kettle = fileURLToPath(new URL('../bin/kettle.mjs', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [kettle, 'index'], {
    env: { ...env, INDEX_DIR: await tempFolder() },
  });
  expect(stdout + stderr).toMatch(/broken\.pdf.*The PDF is damaged.*qpdf/);
});
