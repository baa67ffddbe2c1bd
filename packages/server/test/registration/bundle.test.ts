import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';

const script = fileURLToPath(new URL('../../scripts/mcpb.mjs', import.meta.url));

it('the .mcpb bundle is built, valid, and answers when it is unpacked and started as its manifest says', async () => {
  const out = join(await tempFolder(), 'kettle.mcpb');
  const url = 'https://example.com/kettle.mcpb';
  // The script tries what it has built, and fails where that fails.
  await promisify(execFile)(process.execPath, [script, '--out', out, '--url', url]);
  const sha256 = createHash('sha256')
    .update(await readFile(out))
    .digest('hex');
  const entry = JSON.parse(await readFile(join(out, '..', 'server.json'), 'utf8'));
  expect(entry.packages[1]).toMatchObject({ identifier: url, fileSha256: sha256 });
}, 300_000);
