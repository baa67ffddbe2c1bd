import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleFiles } from './support/sample-corpus.js';
import { initializeParams, ServerProcess } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

let env: Record<string, string>;

beforeAll(async () => {
  env = { CORPUS_DIR: await tempFolder(sampleFiles), INDEX_DIR: await tempFolder() };
});
afterAll(ServerProcess.killAll);

const refused = { code: -32602, message: 'Invalid request parameters', data: '' };

describe('before initialize', () => {
  it.each(['tools/list', 'tools/call', 'resources/list', 'no/such/method'])('refuses %s', async (method) => {
    const server = new ServerProcess(env);
    expect(await server.ask(method, undefined, 1)).toEqual({ jsonrpc: '2.0', id: 1, error: refused });
    expect((await server.initialize()).result).toBeDefined();
    expect(await server.end()).toBe(0);
  });

  it('answers ping and takes notifications without a reply', async () => {
    const server = new ServerProcess(env);
    server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await server.ask('ping', undefined, 'p')).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    expect((await server.ask('tools/list')).error).toEqual(refused);
    expect(await server.end()).toBe(0);
    expect(server.received).toHaveLength(2);
  });

  it('refuses a malformed initialize, and takes a good one after it', async () => {
    const server = new ServerProcess(env);
    expect((await server.ask('initialize', { protocolVersion: 7 })).error).toEqual(refused);
    expect((await server.ask('tools/list')).error).toEqual(refused);
    expect((await server.initialize()).result).toBeDefined();
    await server.end();
  });
});

describe('initialize', () => {
  it('introduces the server and declares what works', async () => {
    const server = new ServerProcess(env);
    const { id, jsonrpc, result } = await server.ask('initialize', initializeParams, 1);
    expect([id, jsonrpc]).toEqual([1, '2.0']);
    expect(result).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: {
        tools: {},
        resources: { listChanged: true, subscribe: true },
        prompts: {},
        completions: {},
        logging: {},
      },
      serverInfo: {
        name: 'rag-search-server',
        title: 'Kettle',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      },
      instructions: expect.stringContaining(
        'The Test Kitchen: Papers of a kitchen that exists in tests only.',
      ),
    });
    await server.end();
  });

  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    ['whatever', '2025-11-25'],
  ])('of a client that speaks %s agrees on %s', async (wanted, agreed) => {
    const server = new ServerProcess(env);
    expect((await server.initialize({ protocolVersion: wanted })).result.protocolVersion).toBe(agreed);
    await server.end();
  });

  it('is refused the second time, and nothing changes', async () => {
    const server = new ServerProcess(env);
    await server.initialize();
    expect((await server.ask('initialize', initializeParams)).error.code).toBe(-32600);
    expect((await server.ask('tools/list')).result.tools).toHaveLength(3);
    await server.end();
  });
});

describe('after initialize', () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = new ServerProcess(env);
    await server.initialize();
  });

  it.each([
    ['no/such/method', undefined, -32601],
    ['toString', undefined, -32601],
    ['tools/call', undefined, -32602],
    ['tools/call', { name: 7 }, -32602],
    ['tools/call', { name: 'search', arguments: [] }, -32602],
    ['tools/list', { cursor: 'x' }, -32602],
    ['resources/read', {}, -32602],
    ['logging/setLevel', { level: 'loud' }, -32602],
  ])('%s with %j fails with %i', async (method, params, code) => {
    const { error } = await server.ask(method, params);
    expect(error.code).toBe(code);
    expect(error.message).not.toMatch(/[{}]|zod|expected/i);
  });

  it('a request to run as a task is served as it is, since tasks are not declared', async () => {
    const params = { name: 'list_documents', arguments: {}, task: { ttl: 1000 } };
    expect((await server.ask('tools/call', params)).result.isError).toBe(false);
  });

  it('tools and instructions speak of the corpus as the environment names it', async () => {
    const names = { CORPUS_NAME: 'Grandmother’s letters', CORPUS_DESCRIPTION: 'Letters from 1950 to 1962' };
    const server = new ServerProcess({ ...env, ...names });
    const about = 'Grandmother’s letters: Letters from 1950 to 1962.';
    expect((await server.initialize()).result.instructions).toContain(about);
    for (const { description } of (await server.ask('tools/list')).result.tools)
      expect(description).toContain(about);
    await server.end();
  });
});
