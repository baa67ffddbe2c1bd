import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { type CleanClone, cleanClone } from './clean-clone.js';
import { StdioSession } from './stdio-session.js';

// The main job: on a fresh clone, without pnpm installed, one command answers real questions over stdio.

const minutes = 60_000;
const command = ['-y', manifest.packageManager, '--filter', 'server', 'start'];

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
}

let clone: CleanClone;
const sessions: StdioSession[] = [];

function start(): StdioSession {
  const session = new StdioSession('npx', command, { cwd: clone.directory, env: clone.env });
  sessions.push(session);
  return session;
}

afterEach(async () => {
  for (const session of sessions.splice(0)) {
    session.kill();
    await session.ended;
  }
  await clone.remove();
});

/** Calls a tool and gives its result, which has to be a good one. */
async function call(session: StdioSession, id: number, name: string, args: object): Promise<ToolResult> {
  const reply = await session.request({ id, method: 'tools/call', params: { name, arguments: args } });
  expect(Object.keys(reply)).toEqual(['jsonrpc', 'id', 'result']);
  expect(reply).toMatchObject({ id, result: { isError: false } });
  return (reply as { result: ToolResult }).result;
}

/** Everything else on the wire that other programs count on, as it is promised. */
async function askForTheRest(session: StdioSession): Promise<void> {
  const list = await session.request({ id: 10, method: 'tools/list' });
  expect(list).toMatchObject({
    result: {
      tools: [
        {
          name: 'search',
          inputSchema: {
            type: 'object',
            title: 'searchArguments',
            required: ['query'],
            properties: {
              query: { type: 'string', title: 'Query' },
              top_k: { type: 'integer', title: 'Top K', default: 5, minimum: 1, maximum: 50 },
            },
          },
        },
        { name: 'list_documents', inputSchema: { title: 'list_documentsArguments', properties: {} } },
        {
          name: 'get_document',
          inputSchema: {
            title: 'get_documentArguments',
            required: ['name'],
            properties: { name: { type: 'string', title: 'Name' } },
          },
        },
      ],
    },
  });
  const { tools } = (list as { result: { tools: Record<string, object>[] } }).result;
  expect(tools).toHaveLength(3);
  for (const tool of tools) {
    expect(tool).toMatchObject({ title: expect.any(String), description: expect.any(String) });
    expect(tool).toHaveProperty('outputSchema.type', 'object');
    expect(tool.annotations).toMatchObject({
      readOnlyHint: true,
      idempotentHint: true,
      openWorldHint: false,
    });
  }
  expect(tools[1]!.inputSchema).not.toHaveProperty('required');

  const documents = join(clone.directory, 'corpus', 'documents');
  const names = (await readdir(documents)).filter((name) => name.endsWith('.txt')).sort();
  const listed = await call(session, 11, 'list_documents', {});
  expect(listed.content[0]!.text.split('\n')).toEqual(names);
  expect(listed.structuredContent).toMatchObject({ documents: names.map((name) => ({ name })) });

  const text = await readFile(join(documents, 'faq.txt'), 'utf8');
  const got = await call(session, 12, 'get_document', { name: 'faq.txt' });
  expect(got.content[0]!.text).toBe(text);
  expect(got.structuredContent).toMatchObject({ name: 'faq.txt', text });

  const found = await call(session, 13, 'search', { query: 'can I bring a dog' });
  const results = found.structuredContent.results as {
    rank: number;
    source: string;
    distance: number;
    passage: string;
  }[];
  expect(results.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5]);
  const hits = results.map(
    ({ rank, source, distance, passage }) =>
      `[${rank}] source: ${source} (distance: ${distance.toFixed(2)})\npassage: \n${passage}`,
  );
  expect(found.content[0]!.text).toBe(hits.join('\n\n'));
}

async function askAboutDogs(session: StdioSession): Promise<string> {
  const hello = await session.request({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'newcomer', version: '1' },
    },
  });
  expect(hello).toMatchObject({ result: { serverInfo: { name: 'rag-search-server' } } });
  session.notify({ method: 'notifications/initialized' });
  const reply = await session.request({
    id: 2,
    method: 'tools/call',
    params: { name: 'search', arguments: { query: 'can I bring a dog', top_k: 1 } },
  });
  expect(reply).toMatchObject({ result: { isError: false } });
  return (reply as { result: { content: { text: string }[] } }).result.content[0]!.text;
}

describe('a fresh clone', () => {
  test(
    'answers over stdio, also to two clients that start it at once; stdout carries JSON-RPC only',
    async () => {
      clone = await cleanClone();
      const [first, second] = [start(), start()];
      const answers = await Promise.all([askAboutDogs(first), askAboutDogs(second)]);
      for (const answer of answers) {
        expect(answer).toMatch(
          /^\[1\] source: faq\.txt \(distance: 0\.\d\d\)\npassage: \nThe Wandering Kettle - /,
        );
        expect(answer).toMatch(/dog/i);
      }
      await askForTheRest(first);
      for (const session of [first, second]) {
        const { code, lines, stderr } = await session.end();
        for (const line of lines) expect(JSON.parse(line)).toHaveProperty('jsonrpc', '2.0');
        expect(lines.length).toBeGreaterThanOrEqual(2);
        expect(code, stderr).toBe(0);
      }
    },
    10 * minutes,
  );

  test(
    'whose install fails says why on stderr, and nothing on stdout',
    async () => {
      clone = await cleanClone();
      await writeFile(join(clone.directory, 'pnpm-lock.yaml'), 'lockfileVersion: "9.0"\nimporters: {}\n');
      const { code, lines, stderr } = await start().end();
      expect(code).not.toBe(0);
      expect(lines).toEqual([]);
      expect(stderr).toMatch(/ERR_PNPM_OUTDATED_LOCKFILE|frozen-lockfile/);
      expect(stderr).toMatch(/kettle: installing dependencies .* failed/);
    },
    2 * minutes,
  );

  test(
    'whose build fails says why on stderr, and nothing on stdout',
    async () => {
      clone = await cleanClone();
      await rm(join(clone.directory, 'packages/vector-store/src/errors.ts'));
      const { code, lines, stderr } = await start().end();
      expect(code).not.toBe(0);
      expect(lines).toEqual([]);
      expect(stderr).toMatch(/error TS\d+/);
      expect(stderr).toMatch(/kettle: building failed/);
    },
    5 * minutes,
  );
});
