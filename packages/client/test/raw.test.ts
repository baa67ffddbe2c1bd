import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { conversation, runClient } from './run.js';

const server = fileURLToPath(new URL('fixtures/server.mjs', import.meta.url));

function runAgainst(way: string, env: Record<string, string> = {}) {
  return runClient('raw', [process.execPath, server, way], env);
}

describe('raw.ts, the text', () => {
  it('can be read in one sitting and depends on Node alone', async () => {
    const read = (name: string) => readFile(new URL(`../src/${name}.ts`, import.meta.url), 'utf8');
    const text = await read('raw');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(80);
    const importsOf = (source: string) =>
      [...source.matchAll(/\bfrom '([^']+)'|\bimport\(/g)].map((match) => match[1]!);
    // How long it waits is told by a setting, whose reading is no part of the conversation.
    const others = importsOf(text).filter((name) => !name.startsWith('node:'));
    expect(others).toEqual(['./timeout.js']);
    expect(importsOf(await read('timeout'))).toEqual([]);
  });
});

describe('raw.ts against a server of its own kind', () => {
  it('waits for the reply that bears the id, whatever arrives before it and however it is cut', async () => {
    const { code, stdout, stderr } = await runAgainst('is chatty');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { received, directions } = conversation(stdout);
    expect(directions).toBe('→←←→→←←→←←');
    expect(received.filter(({ id }) => id).map(({ id, result }) => [id, result.method, result.text])).toEqual(
      [
        [1, 'initialize', 'Kännchen\u2028☕'],
        [2, 'tools/list', 'Kännchen\u2028☕'],
        [3, 'tools/call', 'Kännchen\u2028☕'],
      ],
    );
  });

  it.each([
    ['exits at once', 'raw: the server ended before it answered initialize'],
    ['exits after initialize', 'raw: the server ended before it answered tools/list'],
    ['refuses', 'raw: initialize was refused: Invalid request parameters (-32602)'],
    ['answers nonsense', 'raw: Unexpected token'],
    ['fails at the end', 'raw: the server exited with code 4'],
  ])('says what happened when the server %s', async (way, message) => {
    const { code, stderr } = await runAgainst(way);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(1);
  });

  it.each([
    ['never answers', '0.2', 'raw: no reply to initialize in 0.2 seconds'],
    ['never stops', '3', 'raw: the server did not stop at the end of its input'],
  ])('gives up when the server %s', async (way, TIMEOUT_SECONDS, message) => {
    const { code, stderr } = await runAgainst(way, { TIMEOUT_SECONDS });
    expect(stderr.trim()).toBe(message);
    expect(code).toBe(1);
  });

  it('says so when there is no such command', async () => {
    const { code, stderr } = await runClient('raw', ['no-such-command-anywhere']);
    expect(stderr).toContain('raw: cannot start no-such-command-anywhere: ');
    expect(code).toBe(1);
  });
});
