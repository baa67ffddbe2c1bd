import { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { createMcpServer } from '../src/mcp/server.js';
import { mostInFlight, StdioTransport } from '../src/stdio/stdio-transport.js';
import { FakeApp } from './support/fake-app.js';
import { initializeParams } from './support/server-process.js';

/** Where replies go that nobody reads until `read` is called. */
class Unread extends Writable {
  #resume: (() => void) | undefined;
  #reading = false;
  text = '';

  constructor() {
    super({ highWaterMark: 1024 });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    if (this.#reading) done();
    else this.#resume = done;
  }

  read(): void {
    this.#reading = true;
    this.#resume?.();
  }
}

/** As many rounds of the event loop as anything that goes on by itself could need. */
async function settle(): Promise<void> {
  for (let round = 0; round < 200; round++) await setImmediate();
}

const count = 2000;

afterEach(() => vi.restoreAllMocks());

function* requests(onRead: (id: number) => void, method: string, params?: object) {
  yield Buffer.from(
    `${JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: initializeParams })}\n`,
  );
  for (let id = 1; id <= count; id++) {
    onRead(id);
    yield Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  }
}

it('reads no further while the client does not read, and answers everything in the end', async () => {
  let read = 0;
  const input = Readable.from(requests((id) => (read = id), 'tools/list'));
  const output = new Unread();
  const transport = new StdioTransport(input, output);
  await createMcpServer(new FakeApp()).connect(transport);
  await settle();
  expect(read).toBeLessThan(100);
  output.read();
  await transport.ended;
  await transport.idle();
  await transport.flush();
  const ids = output.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect(ids).toEqual(['init', ...Array.from({ length: count }, (_, index) => index + 1)]);
});

it('serves no more than a bounded number of requests at once', async () => {
  let read = 0;
  const app = new FakeApp();
  const waiting: (() => void)[] = [];
  app.search = () => new Promise((resolve) => waiting.push(() => resolve([])));
  const call = { name: 'search', arguments: { query: 'x' } };
  const input = Readable.from(requests((id) => (read = id), 'tools/call', call));
  const output = new Unread();
  output.read();
  const transport = new StdioTransport(input, output);
  await createMcpServer(app).connect(transport);
  await vi.waitFor(() => expect(waiting.length).toBe(mostInFlight));
  await settle();
  expect(read).toBeLessThan(mostInFlight + 100);
  let done = false;
  const finished = transport.ended.then(() => transport.idle()).then(() => (done = true));
  while (!done) {
    for (const answer of waiting.splice(0)) answer();
    await setImmediate();
  }
  await finished;
  expect(output.text.trimEnd().split('\n')).toHaveLength(count + 1);
});

it('keeps no progress for a client that does not read', async () => {
  const app = new FakeApp();
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  app.search = async (_query, options) => {
    for (let done = 0; done < 5000; done++) {
      options?.onProgress?.({ phase: 'embedding', done, total: 5000, message: 'x'.repeat(100) });
      if (done % 100 === 0) await setImmediate();
    }
    return [];
  };
  const call = { name: 'search', arguments: { query: 'x' }, _meta: { progressToken: 't' } };
  const messages = [
    { jsonrpc: '2.0', id: 'init', method: 'initialize', params: initializeParams },
    { jsonrpc: '2.0', id: 'search', method: 'tools/call', params: call },
  ];
  const output = new Unread();
  const input = Readable.from(messages.map((message) => Buffer.from(`${JSON.stringify(message)}\n`)));
  const transport = new StdioTransport(input, output);
  await createMcpServer(app).connect(transport);
  await transport.ended;
  await transport.idle();
  output.read();
  await transport.flush();
  expect(output.text.length).toBeLessThan(100_000);
  expect(output.text).toContain('"id":"search","result"');
});
