import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { documentName, documentUri } from '../src/mcp/resource-uri.js';
import { connect } from './support/connect.js';
import { FakeApp } from './support/fake-app.js';

let app: FakeApp;
let client: Client;

beforeEach(async () => {
  app = new FakeApp();
  client = await connect(app);
});

const names = [
  'a.txt',
  'b c.txt',
  'menüs/früh (50%)!.md',
  '日本語/メニュー.txt',
  "it's *fine*.txt",
  '#?&=+.txt',
];

describe('uris of documents', () => {
  it.each([
    ['menus/spring menu.txt', 'kettle://documents/menus%2Fspring%20menu.txt'],
    ["it's *fine*.txt", 'kettle://documents/it%27s%20%2Afine%2A.txt'],
    ['Über (50%)!.md', 'kettle://documents/%C3%9Cber%20%2850%25%29%21.md'],
  ])('of %s is %s', (name, uri) => {
    expect(documentUri(name)).toBe(uri);
  });

  it('are what RFC 6570 says, and lead back to the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        const uri = documentUri(name);
        expect(documentName(uri)).toBe(name);
        expect(uri).toMatch(/^kettle:\/\/documents\/([A-Za-z0-9._~-]|%[0-9A-F]{2})+$/);
      }),
    );
  });
});

describe('resources', () => {
  it('are listed with what is known about them, and read', async () => {
    for (const name of names) app.documents.set(name, `This is ${name}\n`);
    const { resources, nextCursor } = await client.listResources();
    expect(nextCursor).toBeUndefined();
    expect(resources.map(({ name }) => name)).toEqual(names);
    for (const { uri, name, mimeType } of resources) {
      expect(mimeType).toBe('text/plain');
      const { contents } = await client.readResource({ uri });
      expect(contents).toEqual([{ uri, mimeType, text: app.documents.get(name) }]);
    }
  });

  it('come in pages that hold each once, also while the list changes', async () => {
    for (let i = 0; i < 250; i++) app.documents.set(`d${String(i).padStart(3, '0')}`, '');
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listResources({ cursor });
      seen.push(...page.resources.map(({ name }) => name));
      cursor = page.nextCursor;
      app.documents.delete('d005');
    } while (cursor !== undefined);
    expect(seen).toHaveLength(251);
    expect(new Set(seen).size).toBe(251);
  });

  it.each([
    '',
    'nonsense',
    'e30',
    `${Buffer.from('{"after":"a"}').toString('base64url')}=`,
    Buffer.from('{"after":7}').toString('base64url'),
  ])('are refused for the cursor "%s"', async (cursor) => {
    await expect(client.listResources({ cursor })).rejects.toMatchObject({ code: -32602 });
  });

  it.each([
    'kettle://documents/none.txt',
    'kettle://documents/',
    'kettle://documents/%',
    'kettle://documents/%2E%2E%2Fsecret',
    'kettle://other/a.txt',
    'file:///etc/passwd',
    '',
  ])('%s is not found', async (uri) => {
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32002, data: { uri } });
  });

  it('have a template that leads to them', async () => {
    app.documents.set('b c/d.txt', 'Delta.');
    const { resourceTemplates } = await client.listResourceTemplates();
    const [template] = resourceTemplates;
    expect(resourceTemplates).toHaveLength(1);
    const uri = new UriTemplate(template?.uriTemplate as string).expand({ name: 'b c/d.txt' });
    expect((await client.readResource({ uri })).contents[0]).toMatchObject({ text: 'Delta.' });
  });
});

describe('completion', () => {
  const template = { type: 'ref/resource' as const, uri: 'kettle://documents/{name}' };
  const prompt = { type: 'ref/prompt' as const, name: 'answer_from_documents' };
  const complete = async (ref: typeof template | typeof prompt, name: string, value: string) =>
    (await client.complete({ ref, argument: { name, value } })).completion;

  it('offers names that begin with what was typed, then those that hold it', async () => {
    for (const name of ['menus/tea.txt', 'tea list.txt', 'Tea.txt', 'x']) app.documents.set(name, '');
    for (const values of [await complete(template, 'name', 'tea'), await complete(prompt, 'document', 'tea')])
      expect(values).toEqual({
        values: ['tea list.txt', 'Tea.txt', 'menus/tea.txt'],
        total: 3,
        hasMore: false,
      });
  });

  it('offers all names to nothing typed, a hundred at most', async () => {
    for (let i = 0; i < 150; i++) app.documents.set(`n${i}`, '');
    const { values, total, hasMore } = await complete(template, 'name', '');
    expect([values.length, total, hasMore]).toEqual([100, 151, true]);
    expect(new Set(values).size).toBe(100);
  });

  it('has nothing to offer for a question', async () => {
    expect(await complete(prompt, 'question', 'a')).toEqual({ values: [], total: 0, hasMore: false });
  });

  it.each([
    [{ ...template, uri: 'kettle://other/{name}' }, 'name'],
    [{ ...prompt, name: 'toString' }, 'document'],
    [template, 'other'],
  ])('refuses %j with argument %s', async (ref, name) => {
    await expect(complete(ref as typeof template, name, '')).rejects.toMatchObject({ code: -32602 });
  });
});

describe('the prompt', () => {
  const name = 'answer_from_documents';

  it('is listed with its arguments', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map((prompt) => [prompt.name, prompt.arguments?.map(({ name }) => name)])).toEqual([
      [name, ['question', 'document']],
    ]);
  });

  it('holds the question, the passages and where they come from', async () => {
    const asked: unknown[] = [];
    app.search = async (query, options) => {
      asked.push(query, options?.documents);
      const hit = { rank: 1, document: 'a.txt', passage: 'Alpha.', distance: 0.254, mimeType: 'text/plain' };
      return [{ ...hit, start: 0, end: 6, ordinal: 0 }];
    };
    const args = { question: 'what is first?', document: 'a.txt' };
    const { messages } = await client.getPrompt({ name, arguments: args });
    expect(asked).toEqual(['what is first?', ['a.txt']]);
    expect(messages).toHaveLength(1);
    const { role, content } = messages[0] as (typeof messages)[0];
    expect(role).toBe('user');
    expect(content).toMatchObject({ type: 'text' });
    const { text } = content as { text: string };
    expect(text).toContain('what is first?');
    expect(text).toContain('[1] source: a.txt (distance: 0.25)\npassage: \nAlpha.');
  });

  it.each([
    ['other', { question: 'x' }],
    [name, {}],
    [name, { question: ' ' }],
  ])('%s with %j is refused', async (wanted, args) => {
    await expect(
      client.getPrompt({ name: wanted, arguments: args as Record<string, string> }),
    ).rejects.toMatchObject({
      code: -32602,
    });
  });
});
