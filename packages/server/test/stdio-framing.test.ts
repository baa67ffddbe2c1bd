import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

afterAll(ServerProcess.killAll);

const ping = (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"ping"}`;
const pong = (id: unknown) => ({ jsonrpc: '2.0', id, result: {} });
const refusal = (code: number, id: unknown = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.any(String) },
});

async function start(): Promise<ServerProcess> {
  return new ServerProcess({ CORPUS_DIR: await tempFolder(), INDEX_DIR: await tempFolder() });
}

/** Everything the server answers to this input until it ends by itself. */
async function answersTo(...input: (string | Buffer)[]): Promise<unknown[]> {
  const server = await start();
  for (const part of input) server.write(part);
  expect(await server.end()).toBe(0);
  expect(server.impure).toEqual([]);
  return server.received;
}

describe('lines', () => {
  it('needs no line feed after the last one', async () => {
    expect(await answersTo(ping(1))).toEqual([pong(1)]);
  });

  it('ends with 0 when there are none', async () => {
    expect(await answersTo()).toEqual([]);
  });

  it('may be blank, end in CRLF, or begin with a byte order mark', async () => {
    expect(await answersTo(`\uFEFF${ping(1)}\r\n\r\n  \n${ping('b')}\r\n`)).toEqual([pong(1), pong('b')]);
  });

  it('may arrive cut inside a character', async () => {
    const server = await start();
    const line = Buffer.from(ping('🫖'));
    const inside = line.indexOf(Buffer.from('🫖')) + 2;
    const first = server.next(({ id }) => id === 'first');
    server.write(Buffer.concat([Buffer.from(`${ping('first')}\n`), line.subarray(0, inside)]));
    await first;
    server.write(Buffer.concat([line.subarray(inside), Buffer.from('\n')]));
    expect(await server.end()).toBe(0);
    expect(server.received).toEqual([pong('first'), pong('🫖')]);
  });

  it('may hold a megabyte', async () => {
    const padding = 'x'.repeat(1024 * 1024);
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { padding } });
    expect(await answersTo(`${line}\n${ping(2)}\n`)).toEqual([pong(1), pong(2)]);
  });

  it('are refused beyond the limit, without the memory they would take', async () => {
    const server = await start();
    await server.ask('ping');
    const before = server.megabytes('VmHWM');
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 400; i++) server.write(megabyte);
    server.write('\n');
    await server.ask('ping', undefined, 'after');
    expect(server.received.slice(1)).toEqual([refusal(-32600), pong('after')]);
    expect(server.megabytes('VmHWM') - before).toBeLessThan(200);
    expect(await server.end()).toBe(0);
  });
});

describe('what is not a message', () => {
  let server: ServerProcess;
  let line = 0;
  beforeAll(async () => {
    server = await start();
  });

  /** What one and the same process answers to a line, up to the ping that follows it. */
  async function answersOfOne(...parts: (string | Buffer)[]): Promise<unknown[]> {
    const before = server.received.length;
    const after = `after line ${++line}`;
    for (const part of parts) server.write(part);
    server.write('\n');
    await server.ask('ping', undefined, after);
    expect(server.received.at(-1)).toEqual(pong(after));
    return server.received.slice(before, -1);
  }

  it.each([
    ['no JSON', 'hello', refusal(-32700)],
    ['half a message', '{"jsonrpc":"2.0","id":1', refusal(-32700)],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), refusal(-32700)],
    ['deep nesting', `${'['.repeat(100_000)}`, refusal(-32700)],
    ['a number', '7', refusal(-32600)],
    ['null', 'null', refusal(-32600)],
    ['an empty object', '{}', refusal(-32600)],
    ['a batch', `[${ping(1)}]`, refusal(-32600)],
    ['no jsonrpc', '{"id":4,"method":"ping"}', refusal(-32600, 4)],
    ['another version', '{"jsonrpc":"1.0","id":"x","method":"ping"}', refusal(-32600, 'x')],
    ['no method', '{"jsonrpc":"2.0","id":5}', refusal(-32600, 5)],
    ['a method that is a number', '{"jsonrpc":"2.0","id":6,"method":1}', refusal(-32600, 6)],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', refusal(-32600)],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', refusal(-32600)],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', refusal(-32600)],
    ['params that are a list', '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', refusal(-32600, 7)],
    [
      'a malformed progress token',
      '{"jsonrpc":"2.0","id":8,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
      refusal(-32602, 8),
    ],
  ])('%s is answered with an error', async (_name, line, answer) => {
    expect(await answersOfOne(Buffer.from(line as string))).toEqual([answer]);
  });

  it.each([
    ['a notification nobody knows', '{"jsonrpc":"2.0","method":"notifications/nothing"}'],
    [
      'a notification with malformed params',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}',
    ],
    [
      'a cancellation of nothing',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}',
    ],
    ['a result', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}'],
    ['a malformed error', '{"jsonrpc":"2.0","id":1,"error":"x"}'],
  ])('%s gets no reply', async (_name, line) => {
    expect(await answersOfOne(line)).toEqual([]);
  });

  // The SDK writes what it did not expect into the message of an error, which nesting can make impossible.
  it.each([1_000, 4_500, 100_000])('nested %d deep ends nothing', async (depth) => {
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const lines = [
      `{"jsonrpc":"2.0","id":7,"result":${deep}}`,
      `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x","data":${deep}}}`,
      `{"jsonrpc":"2.0","method":"notifications/progress","params":${deep}}`,
      `{"jsonrpc":"2.0","id":8,"method":"ping","params":${deep}}`,
      ping(9),
    ];
    const server = await start();
    await server.initialize();
    for (const line of lines) server.write(`${line}\n`);
    expect(await server.end()).toBe(0);
    expect(server.received.slice(1).map((reply) => (reply as { id: unknown }).id)).toEqual([8, 9]);
  });

  it('further members of a request are passed over', async () => {
    expect(await answersOfOne('{"jsonrpc":"2.0","id":1,"method":"ping","extra":true}')).toEqual([pong(1)]);
  });
});

describe('streams that break', () => {
  it('ends quietly when nobody reads stdout any more', async () => {
    const server = await start();
    await server.initialize();
    server.child.stdout.destroy();
    server.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    expect(await server.exit).toEqual({ code: 0, signal: null });
    expect(server.stderr).toBe('');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s', async (signal) => {
    const server = await start();
    await server.initialize();
    server.child.kill(signal);
    expect(await server.exit).toEqual({ code: 0, signal: null });
  });
});
