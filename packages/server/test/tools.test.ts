import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  type CallToolResult,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleFiles, sampleNames } from './support/sample-corpus.js';
import { cleanEnv, mainFile } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

let corpus: string;
let client: Client;

beforeAll(async () => {
  corpus = await tempFolder(sampleFiles);
  const env = cleanEnv({ CORPUS_DIR: corpus, INDEX_DIR: await tempFolder() }) as Record<string, string>;
  client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [mainFile], env, stderr: 'inherit' }),
  );
  // From here on the client holds every result against the tool's output schema.
  await client.listTools();
});
afterAll(() => client.close());

async function call(name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

function textOf({ content }: CallToolResult): string {
  return (content[0] as { text: string }).text;
}

describe('search', () => {
  it('finds the passage that means the same, and says where it comes from', async () => {
    const result = await call('search', { query: 'may my puppy come in?', top_k: 1 });
    expect(result.isError).toBe(false);
    const { results } = result.structuredContent as { results: Record<string, unknown>[] };
    expect(results).toHaveLength(1);
    const [hit] = results as [{ distance: number; passage: string }];
    expect(hit).toMatchObject({ rank: 1, source: 'pets.txt' });
    expect(hit.distance).toBeGreaterThan(0);
    expect(hit.distance).toBeLessThan(0.8);
    expect(textOf(result)).toBe(
      `[1] source: pets.txt (distance: ${hit.distance.toFixed(2)})\npassage: \n${hit.passage}`,
    );
    expect(hit.passage).toContain('Dogs are welcome on the terrace');
    expect(result.content.slice(1)).toEqual([
      { type: 'resource_link', uri: 'kettle://documents/pets.txt', name: 'pets.txt', mimeType: 'text/plain' },
    ]);
  });

  it('gives up to five hits, best first, apart by an empty line, and one link for each document', async () => {
    const result = await call('search', { query: 'soup' });
    const { results } = result.structuredContent as { results: { rank: number; source: string }[] };
    expect(results.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
    expect(results[0]!.source).toBe('menus/spring menu.txt');
    expect(
      textOf(result).match(/(^|\n\n)\[\d\] source: .* \(distance: \d\.\d\d\)\npassage: \n/g),
    ).toHaveLength(5);
    const links = result.content.slice(1) as { name: string; uri: string }[];
    expect(links.map(({ name }) => name)).toEqual([...new Set(results.map(({ source }) => source))]);
    for (const { uri, name } of links) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]).toMatchObject({ text: sampleFiles[`papers/${name}` as keyof typeof sampleFiles] });
    }
  });

  it('keeps to documents, to folders and to a distance', async () => {
    const sources = async (args: object) => {
      const { structuredContent } = await call('search', { query: 'soup', top_k: 50, ...args });
      return (structuredContent as { results: { source: string; distance: number }[] }).results;
    };
    const all = await sources({});
    expect((await sources({ documents: ['wifi.txt'] })).map(({ source }) => source)).toEqual(['wifi.txt']);
    const inMenus = await sources({ documents: ['menus/', 'pets.txt'] });
    expect(new Set(inMenus.map(({ source }) => source))).toEqual(
      new Set(['menus/spring menu.txt', 'menus/Über (50%)!.md', 'pets.txt']),
    );
    const ceiling = all[1]?.distance as number;
    expect(await sources({ max_distance: ceiling })).toEqual(
      all.filter(({ distance }) => distance <= ceiling),
    );
    expect(await sources({ max_distance: 0 })).toEqual([]);
    expect(textOf(await call('search', { query: 'soup', max_distance: 0 }))).toBe('No passage was found.');
  });

  it.each([
    [{}, /^query must be .*, not missing\.$/],
    [{ query: '' }, /^query must be a text .* not blank/],
    [{ query: ' \n\t' }, /^query must be a text .* not blank/],
    [{ query: 7 }, /^query must be a text .*, not 7\.$/],
    [{ query: null }, /^query must be a text .*, not null\.$/],
    [
      { query: 'dog '.repeat(25_000) },
      /^query must be a text of 1 to \d+ characters .*, not a text of 100000/,
    ],
    [{ query: 'dog '.repeat(2_400) }, /^The query is longer than the model reads/],
    [{ query: 'x', top_k: 0 }, /^top_k must be a whole number from 1 to 50, not 0\.$/],
    [{ query: 'x', top_k: 51 }, /^top_k must be a whole number from 1 to 50, not 51\.$/],
    [{ query: 'x', top_k: '5' }, /^top_k must be a whole number from 1 to 50, not "5"\.$/],
    [{ query: 'x', top_k: 2.5 }, /^top_k must be a whole number from 1 to 50, not 2\.5\.$/],
    [{ query: 'x', max_distance: 2.01 }, /^max_distance must be a number from 0 to 2/],
    [{ query: 'x', max_distance: -1 }, /^max_distance must be a number from 0 to 2/],
    [{ query: 'x', documents: 'pets.txt' }, /^documents must be a list/],
    [{ query: 'x', documents: [7] }, /^documents must be a list/],
    [
      { query: 'x', documents: ['pets.txt', 'wifi'] },
      /^No document is called wifi\. Did you mean wifi\.txt\?$/,
    ],
    [{ query: 'x', documents: ['menu/'] }, /^No document is called menu\//],
    [{ query: 'x', documents: ['../'] }, /^There is no such document\./],
    [
      { query: 'x', topk: 3 },
      /^There is no argument "topk"\. This tool takes query, top_k, documents, max_distance/,
    ],
    [{ query: 'x', maxDistance: 1 }, /^There is no argument "maxDistance"/],
  ])('helps when called with %j', async (args, help) => {
    const result = await call('search', args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(help);
  });

  it.each([
    ['an argument of the client', { task_progress: '- [x] look' }],
    ['names that every object has', { constructor: 1, toString: 2, hasOwnProperty: null }],
    ['null', { top_k: null, documents: null, max_distance: null }],
    ['an empty text', { top_k: '', documents: '', max_distance: '' }],
    ['an empty list', { documents: [] }],
  ])('takes %s for nothing that was asked for', async (_, args) => {
    expect(await call('search', { query: 'soup', ...args })).toEqual(await call('search', { query: 'soup' }));
  });
});

describe('list_documents', () => {
  it('gives one name a line', async () => {
    const result = await call('list_documents');
    expect(textOf(result)).toBe(sampleNames.join('\n'));
    const { documents } = result.structuredContent as { documents: { name: string; size: number }[] };
    expect(documents.map(({ name }) => name)).toEqual(sampleNames);
    for (const { name, size } of documents)
      expect(size).toBe(Buffer.byteLength(sampleFiles[`papers/${name}` as keyof typeof sampleFiles]));
  });

  it('looks at no argument', async () => {
    const all = await call('list_documents');
    expect(await call('list_documents', { random_string: 'x' })).toEqual(all);
    expect(await call('list_documents', null as never)).toEqual(all);
  });
});

describe('get_document', () => {
  it.each(sampleNames)('gives %s in full', async (name) => {
    const result = await call('get_document', { name });
    const text = sampleFiles[`papers/${name}` as keyof typeof sampleFiles];
    expect(textOf(result)).toBe(text);
    expect(result.content).toHaveLength(1);
    expect(result.structuredContent).toMatchObject({ name, text, size: Buffer.byteLength(text) });
  });

  it('says which names are like the one asked for', async () => {
    expect(textOf(await call('get_document', { name: 'pets' }))).toBe(
      'No document is called pets. Did you mean pets.txt?',
    );
    expect(textOf(await call('get_document', { name: 'zzzzzzzzzzzz' }))).toMatch(
      /^No document is called zzzzzzzzzzzz\. Call list_documents/,
    );
  });

  it.each([
    '../corpus.json',
    '../../etc/passwd',
    '/etc/passwd',
    'menus/../../corpus.json',
    '..%2Fcorpus.json',
    '%2e%2e/corpus.json',
    '..\\corpus.json',
    'C:\\Windows\\win.ini',
    'pets.txt\0',
    '.',
    'menus',
    'menus/',
    'x'.repeat(4_096),
  ])('gives nothing away for %j', async (name) => {
    const result = await call('get_document', { name });
    expect(result.isError).toBe(true);
    const text = textOf(result);
    expect(text).toMatch(/^(No document is called|There is no such document)/);
    expect(text.length).toBeLessThan(300);
    expect(text).not.toMatch(/etc|passwd|corpus\.json|\\|\0|\.\.|kettle-server-|\n/);
  });

  it.each([[{}], [{ name: '' }], [{ name: 7 }], [{ name: ['pets.txt'] }], [{ name: 'x'.repeat(4_097) }]])(
    'helps when called with %j',
    async (args) => {
      const result = await call('get_document', args);
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/^name must be the name of a document/);
    },
  );
});

it('a tool that is not there is a tool error that names those that are', async () => {
  for (const name of ['find', 'toString', '']) {
    const result = await call(name);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(
      'There is no tool of that name. There are search, list_documents, get_document.',
    );
  }
});

describe('a folder that changes', () => {
  it('is followed: what is new is found, what changed is told, what is gone is not found', async () => {
    let listChanged = 0;
    const updated = new Set<string>();
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void listChanged++);
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updated.add(params.uri),
    );
    await client.subscribeResource({ uri: 'kettle://documents/wifi.txt' });
    const best = async () => {
      const { structuredContent } = await call('search', { query: 'where can I park my bicycle?', top_k: 1 });
      return (structuredContent as { results: { source: string }[] }).results[0]?.source;
    };
    await mkdir(join(corpus, 'papers/new'), { recursive: true });
    await writeFile(
      join(corpus, 'papers/new/bicycles.txt'),
      'Bicycles are parked in the yard behind the house.\n',
    );
    await expect.poll(best, { timeout: 30_000 }).toBe('new/bicycles.txt');
    await expect.poll(() => listChanged, { timeout: 30_000 }).toBeGreaterThan(0);
    await writeFile(join(corpus, 'papers/wifi.txt'), 'There is no wireless network any more.\n');
    await expect.poll(() => [...updated], { timeout: 30_000 }).toEqual(['kettle://documents/wifi.txt']);
    await rm(join(corpus, 'papers/new'), { recursive: true });
    await expect.poll(best, { timeout: 30_000 }).not.toBe('new/bicycles.txt');
  });
});

it('says where in its document each passage stands', async () => {
  const { structuredContent } = await call('search', { query: 'soup', top_k: 20 });
  const { results } = structuredContent as {
    results: { source: string; passage: string; start: number; end: number }[];
  };
  expect(results.length).toBeGreaterThan(3);
  for (const { source, passage, start, end } of results) {
    const { structuredContent: document } = await call('get_document', { name: source });
    expect((document as { text: string }).text.slice(start, end)).toBe(passage);
  }
});
