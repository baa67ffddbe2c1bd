import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createMcpServer } from '../src/mcp/server.js';
import { StdioTransport } from '../src/stdio/stdio-transport.js';
import { FakeApp } from './support/fake-app.js';
import { actualReplies, expectedReplies, type FuzzLine, fuzzLines } from './support/fuzz-lines.js';
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
  });
  await server.initialize();
  const memory: number[] = [];
  for (let round = 0; round < 8; round++) {
    const before = server.received.length;
    const lines = fc.sample(fuzzLines(120), { numRuns: 30, seed: round }).flat();
    const expected = expectedReplies(lines);
    server.write(joined(lines));
    await expect
      .poll(() => actualReplies(server.received.slice(before)), { timeout: 30_000 })
      .toEqual(expected);
    await server.ask('ping');
    memory.push(server.megabytes('VmRSS'));
  }
  expect(server.impure).toEqual([]);
  expect(server.stderr).toBe('');
  // The first rounds fill caches and let the heap reach its size.
  expect((memory[7] as number) - (memory[3] as number)).toBeLessThan(64);
  expect(await server.end()).toBe(0);
});
