import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { JsonSchemaType } from '@modelcontextprotocol/sdk/validation';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { connect } from './support/connect.js';
import { FakeApp } from './support/fake-app.js';

let client: Client;
beforeAll(async () => {
  const app = new FakeApp();
  app.search = async () => [
    {
      rank: 1,
      document: 'a.txt',
      passage: 'Alpha.',
      start: 0,
      end: 6,
      ordinal: 0,
      distance: 0.21,
      mimeType: 'text/plain',
    },
  ];
  client = await connect(app);
});

describe('tools/list', () => {
  it('describes three tools that only read', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search', 'list_documents', 'get_document']);
    for (const { title, description, annotations, outputSchema } of tools) {
      expect(title).toMatch(/^\w/);
      expect(description).toContain('Fakes: Nothing real');
      expect(annotations).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      expect(outputSchema?.type).toBe('object');
    }
  });

  it('says of a search what its mode looks for, and that there is always a passage only where that is so', async () => {
    const described = async (searchMode: 'vector' | 'keyword' | 'hybrid') => {
      const app = new FakeApp();
      const { tools } = await (
        await connect(Object.assign(app, { config: { ...app.config, searchMode } }))
      ).listTools();
      return tools[0]!.description;
    };
    expect(await described('vector')).toMatch(/closest in meaning.*\bThere are always passages/s);
    expect(await described('hybrid')).toMatch(/by meaning, .* by words.*\bThere are always passages/s);
    const keyword = await described('keyword');
    expect(keyword).toContain('that hold the words of the query');
    expect(keyword).not.toMatch(/meaning|always passages/);
  });

  it('says what the arguments are', async () => {
    const { tools } = await client.listTools();
    const [search, list, get] = tools.map(({ inputSchema }) => inputSchema);
    expect(search).toMatchObject({
      type: 'object',
      title: 'searchArguments',
      required: ['query'],
      properties: {
        query: { title: 'Query', type: 'string' },
        top_k: { title: 'Top K', type: 'integer', default: 5, minimum: 1, maximum: 50 },
      },
    });
    expect(Object.keys(search?.properties ?? {}).slice(0, 2)).toEqual(['query', 'top_k']);
    expect(list).toEqual({ type: 'object', title: 'list_documentsArguments', properties: {} });
    expect(get).toMatchObject({
      title: 'get_documentArguments',
      required: ['name'],
      properties: { name: { title: 'Name', type: 'string' } },
    });
  });
});

/** The same value with each thing in it left out, and with each of another type. */
function* spoilt(value: unknown): Generator<{ readonly how: string; readonly value: unknown }> {
  yield { how: 'another type', value: typeof value === 'string' ? 7 : 'text' };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const one of spoilt(item))
        yield { how: `[${index}] ${one.how}`, value: value.with(index, one.value) };
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      yield { how: `without ${key}`, value: rest };
      for (const one of spoilt(part))
        yield { how: `${key} ${one.how}`, value: { ...value, [key]: one.value } };
    }
  }
}

describe('the output schema', () => {
  it.each([
    ['search', { query: 'alpha' }],
    ['list_documents', {}],
    ['get_document', { name: 'a.txt' }],
  ])(
    'of %s lets its results through, and none that lacks a part or has one of another type',
    async (name, args) => {
      const { tools } = await client.listTools();
      const schema = tools.find((tool) => tool.name === name)!.outputSchema as JsonSchemaType;
      const isValid = new AjvJsonSchemaValidator().getValidator(schema);
      const { structuredContent } = await client.callTool({ name, arguments: args });
      expect(isValid(structuredContent).valid).toBe(true);
      const passed = [...spoilt(structuredContent)].filter(({ value }) => isValid(value).valid);
      expect(passed.map(({ how }) => how)).toEqual([]);
    },
  );
});
