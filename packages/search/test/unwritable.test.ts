import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withoutPrivileges } from './support/without-privileges.js';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
  await workspace.write('tea.txt', 'Tea\n\nWe serve black tea.');
});
afterEach(async () => {
  await workspace.remove();
});

async function expectRefusal(): Promise<void> {
  const logged: string[] = [];
  const index = await workspace.open({ log: (_level, message) => logged.push(message) });
  await expect(index.search('tea')).rejects.toMatchObject({ code: 'index_unavailable' });
  expect(logged).toEqual([expect.stringMatching(/^The index folder can't be written .*Check its place and/)]);
}

it('an index folder that is a file is named as what it is', async () => {
  await writeFile(workspace.index, '');
  await expectRefusal();
});

it('so is one without the right to make anything in it', async () => {
  await mkdir(workspace.index, { mode: 0o555 });
  await withoutPrivileges(workspace.root, expectRefusal);
});

it('so is an index whose files and folders may only be read', async () => {
  await (await workspace.openReady()).close();
  await withoutPrivileges(workspace.root, async () => {
    const names = ['.', ...(await readdir(workspace.index, { recursive: true }))];
    for (const name of names) await chmod(join(workspace.index, name), 0o555);
    try {
      await expectRefusal();
    } finally {
      for (const name of names) await chmod(join(workspace.index, name), 0o755);
    }
  });
});

// Node's own recursive mkdir never ends there.
it.skipIf(!existsSync('/proc/self'))('so is one below a folder that takes none', async () => {
  const index = await workspace.open({ directory: '/proc/kettle/index' });
  await expect(index.search('tea')).rejects.toMatchObject({
    code: 'index_unavailable',
    message: expect.stringContaining('/proc/kettle'),
  });
});
