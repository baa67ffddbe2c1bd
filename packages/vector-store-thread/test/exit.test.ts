import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';

/** What a process said that exits while the thread is in `call`, and how it ended. */
async function exitWithin(
  thread: string,
  call: string,
): Promise<{ said: string; code: unknown; signal: unknown }> {
  const directory = await mkdtemp(join(tmpdir(), 'kettle-thread-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'exit-child.mjs'), thread, directory, call],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [said, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { said, code, signal };
}

describe('a process that exits while its index thread is in the library', () => {
  test.each(['add', 'search', 'write', 'load'])('lets it come out of %s first', async (call) => {
    const { said, code } = await exitWithin('./lingering-thread.mjs', call);
    expect(said.trimEnd().split('\n').at(-1)).toBe(`out of ${call}`);
    expect(code).toBe(0);
  });

  test('does not wait for one that hangs', async () => {
    const { said, signal } = await exitWithin('./hanging-thread.mjs', 'none');
    expect(said).toBe('timeout\n');
    expect(signal).toBe('SIGKILL');
  });
});
