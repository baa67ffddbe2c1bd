import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { type CleanClone, cleanClone } from './clean-clone.js';
import { StdioSession } from './stdio-session.js';

// The main job: on a fresh clone, without pnpm installed, one command answers real questions over stdio.

const minutes = 60_000;
const command = ['-y', manifest.packageManager, '--filter', 'server', 'start'];

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
