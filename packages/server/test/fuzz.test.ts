import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createMcpServer } from '../src/mcp/server.js';
import { longestLine, StdioTransport } from '../src/stdio/stdio-transport.js';
import { FakeApp } from './support/fake-app.js';
import { actualReplies, expectedReplies, type FuzzLine, fuzzLines } from './support/fuzz-lines.js';
import { growth } from './support/heap.js';
import { sampleFiles } from './support/sample-corpus.js';
import { ServerProcess } from './support/server-process.js';
import { tempFolder } from './support/temp-folder.js';

afterAll(ServerProcess.killAll);

function joined(lines: readonly FuzzLine[]): Buffer {
  return Buffer.concat(lines.flatMap(({ line }) => [line, Buffer.from('\n')]));
}

/** `bytes` cut at random places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places
    .slice(1)
    .map((end, index) => bytes.subarray(places[index], end))
    .filter(({ length }) => length > 0);
}

/** For a server process: with SIGUSR2 it says on stderr how large its heap is, once what nobody holds is gone. */
const heapReporter = `data:text/javascript,${encodeURIComponent(`
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  import { isMainThread } from 'node:worker_threads';
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  if (isMainThread)
    process.on('SIGUSR2', () => {
      gc();
      process.stderr.write('heap ' + process.memoryUsage().heapUsed + '\\n');
    });
`)}`;

async function heapOf(server: ServerProcess): Promise<number> {
  const before = server.stderr.length;
  server.child.kill('SIGUSR2');
  while (!server.stderr.endsWith('\n') || server.stderr.length === before)
    await once(server.child.stderr, 'data');
  return Number(/\d+$/.exec(server.stderr.trimEnd())?.[0]);
}

/** More than a line may hold. */
const tooLong: FuzzLine = {
  line: Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${'x'.repeat(longestLine)}"}}`),
  reply: null,
};

it('every request gets one reply and nothing else gets any, however the bytes arrive', async () => {
  const property = fc.asyncProperty(
    fuzzLines(60),
    fc.array(fc.nat(), { maxLength: 20 }),
    async (lines, cuts) => {
      const output = new PassThrough();
      const everything = text(output);
      const transport = new StdioTransport(Readable.from(pieces(joined(lines), cuts)), output);
      const app = new FakeApp();
      await createMcpServer(app).connect(transport);
      await transport.ended;
      await transport.idle();
      output.end();
      const messages = (await everything)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      expect(actualReplies(messages)).toEqual(expectedReplies(lines));
      // What the client sent was wrong, not the server.
      expect(app.logged).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: 400 });
});

it('a process lives through thousands of them, answers each once, and does not grow', async () => {
  const server = new ServerProcess({
    CORPUS_DIR: await tempFolder(sampleFiles),
    INDEX_DIR: await tempFolder(),
    NODE_OPTIONS: `--import ${heapReporter}`,
  });
  await server.initialize();
  const heaps: number[] = [];
  let sent = 0;
  for (let round = 0; round < 8; round++) {
    const before = server.received.length;
    const lines = [...fc.sample(fuzzLines(120), { numRuns: 30, seed: round }).flat(), tooLong];
    sent += lines.length;
    const expected = expectedReplies(lines);
    server.write(joined(lines));
    await expect
      .poll(() => actualReplies(server.received.slice(before)), { timeout: 30_000 })
      .toEqual(expected);
    await server.ask('ping');
    heaps.push(await heapOf(server));
  }
  expect(sent).toBeGreaterThan(15_000);
  expect(server.impure).toEqual([]);
  // Nothing is logged but what was asked for.
  expect(server.stderr).toMatch(/^(heap \d+\n){8}$/);
  // The first rounds load the model and fill caches. From then on, what is left after a collection does not grow.
  expect(growth(heaps.slice(2))).toBeLessThan(1.05);
  expect(await server.end()).toBe(0);
});
