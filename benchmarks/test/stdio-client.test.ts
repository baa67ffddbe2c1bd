import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StdioClient } from '@kettle/benchmarks';
import { afterEach, beforeEach, expect, test } from 'vitest';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kettle-stdio-client-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('a server that has ended refuses every request with why it ended, those that come later too', async () => {
  const entry = join(directory, 'ends.mjs');
  await writeFile(entry, "process.stderr.write('no such corpus\\n'); process.exitCode = 3;");
  const client = new StdioClient(entry, process.env);
  for (let i = 0; i < 3; i++)
    await expect(client.request('ping')).rejects.toThrow(/ended \(3\): no such corpus/);
  await client.close();
});
