import { chmod, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutPrivileges } from './support/without-privileges.js';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  await workspace.remove();
});

const names = async (index: { listDocuments(): Promise<{ name: string }[]> }) =>
  (await index.listDocuments()).map((document) => document.name);

describe('the documents of a folder', () => {
  it('are the text files in it and below, whatever their names', async () => {
    const long = `${'x'.repeat(240)}.txt`;
    const wanted = ['A.txt', 'a.txt', 'a b/ü ß.md', 'deep/er/README.MARKDOWN', 'sub/茶🍵.rst', long];
    for (const name of wanted) await workspace.write(name, name);
    for (const name of ['.hidden.txt', '.git/a.txt', 'node_modules/x/a.md', 'photo.png', 'noextension']) {
      await workspace.write(name, name);
    }
    const index = await workspace.openReady();
    expect(await names(index)).toEqual([...wanted].sort());
    for (const name of wanted) expect((await index.getDocument(name)).text).toBe(name);
    expect(index.status().lastSync).toMatchObject({
      skippedCount: 2,
      skipped: expect.arrayContaining([{ name: 'photo.png', reason: 'unsupported type' }]),
    });
  });

  it('do not vanish without a word when their names are not UTF-8', async () => {
    const latin = (text: string) => Buffer.from(text, 'latin1');
    const inDocuments = (name: string) => Buffer.concat([latin(`${workspace.documents}/`), latin(name)]);
    try {
      await mkdir(inDocuments('caf\xe9'));
      await writeFile(inDocuments('caf\xe9/menu.txt'), 'Tea.');
      await writeFile(inDocuments('caf\xe9.txt'), 'Milk.');
    } catch (error) {
      // macOS and Windows take no such names.
      if (process.platform === 'linux') throw error;
      return;
    }
    const index = await workspace.openReady();
    expect(
      index
        .status()
        .lastSync!.skipped.map(({ name, reason }) => `${name}: ${reason}`)
        .sort(),
    ).toEqual(['caf\ufffd.txt: its name is not UTF-8', 'caf\ufffd/: its name is not UTF-8']);
  });

  it('do not come through symbolic links', async () => {
    await workspace.write('a.txt', 'inside');
    await mkdir(join(workspace.root, 'secret'));
    await writeFile(join(workspace.root, 'secret/key.txt'), 'outside');
    await symlink(join(workspace.root, 'secret'), workspace.path('out'));
    await symlink(join(workspace.root, 'secret/key.txt'), workspace.path('key.txt'));
    await symlink(workspace.documents, workspace.path('round'));
    const index = await workspace.openReady();
    expect(await names(index)).toEqual(['a.txt']);
    for (const name of ['out/key.txt', 'key.txt', 'round/a.txt']) {
      await expect(index.getDocument(name)).rejects.toMatchObject({ code: 'document_not_found' });
    }
  });

  it('are listed and shown while the model is loading', async () => {
    await workspace.write('tea.txt', 'Tea.');
    const index = await workspace.open({ loadEmbedder: () => new Promise(() => {}) });
    expect(await index.listDocuments()).toMatchObject([{ name: 'tea.txt', size: 4, mimeType: 'text/plain' }]);
    expect((await index.listDocuments())[0]!.modified).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(await index.getDocument('tea.txt')).toMatchObject({ text: 'Tea.', size: 4 });
    expect(index.status()).toMatchObject({ phase: 'starting', searchable: false });
  });
});

describe('getDocument', () => {
  it('decodes UTF-8 and UTF-16 exactly, marks dropped, line ends kept', async () => {
    const text = 'Crème brûlée\r\n\r\n茶 🍵\n';
    const utf16be = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    await workspace.write('plain.txt', text);
    await workspace.write('marked.txt', `\ufeff${text}`);
    await workspace.write('le.txt', Buffer.from(`\ufeff${text}`, 'utf16le'));
    await workspace.write('be.txt', utf16be);
    const index = await workspace.openReady();
    for (const name of ['plain.txt', 'marked.txt', 'le.txt', 'be.txt']) {
      expect((await index.getDocument(name)).text, name).toBe(text);
    }
    expect(await index.search('Crème', { topK: 10 })).toHaveLength(4);
    expect(index.status().lastSync!.warnings).toEqual([]);
  });

  it('replaces wrong bytes, with a warning that stays', async () => {
    await workspace.write('latin.txt', Buffer.from('caf\xe9 au lait', 'latin1'));
    const index = await workspace.openReady();
    expect((await index.getDocument('latin.txt')).text).toBe('caf\ufffd au lait');
    const warnings = [expect.objectContaining({ name: 'latin.txt' })];
    expect(index.status().lastSync!.warnings).toEqual(warnings);
    expect((await index.sync()).warnings).toEqual(warnings);
    // Each file once, also where it is read again.
    expect((await index.sync({ force: true })).warnings).toEqual(warnings);
  });

  it('finds a name in either Unicode form', async () => {
    await workspace.write('café.txt'.normalize('NFD'), 'au lait');
    const index = await workspace.open();
    expect((await index.getDocument('café.txt'.normalize('NFC'))).text).toBe('au lait');
  });

  it('suggests names for a slip, and lets nothing out', async () => {
    await workspace.write('opening_hours.txt', 'Nine to five.');
    await workspace.write('staff/handbook.md', 'Be kind.');
    await writeFile(join(workspace.root, 'secret.txt'), 'outside');
    const index = await workspace.open();
    const suggestions = async (name: string) => {
      const error = await index.getDocument(name).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: 'SearchError', code: 'document_not_found' });
      // Its own words come back to the caller, nothing else does.
      expect((error as Error).message.replace(name, '')).not.toContain(workspace.root);
      return (error as { suggestions: string[] }).suggestions;
    };
    expect(await suggestions('opening_hour.txt')).toEqual(['opening_hours.txt']);
    expect(await suggestions('Opening Hours')).toEqual(['opening_hours.txt']);
    expect(await suggestions('handbook.md')).toEqual(['staff/handbook.md']);
    for (const name of [
      '',
      '.',
      '..',
      '../secret.txt',
      'staff/../../secret.txt',
      'staff//handbook.md',
      'staff/',
      './opening_hours.txt',
      join(workspace.root, 'secret.txt'),
      '..%2Fsecret.txt',
      'a\0b.txt',
      'x'.repeat(5000),
    ]) {
      await suggestions(name);
    }
  });
});

describe('files that can not be indexed', () => {
  it('are skipped with a reason, and leave the index when they become so', async () => {
    await workspace.write('a.txt', 'Tea.');
    await workspace.write('b.txt', 'Milk.');
    const index = await workspace.openReady();
    await workspace.write('a.txt', Buffer.from([0x7f, 0x45, 0, 1, 2]));
    await truncate(workspace.path('b.txt'), 17 * 1024 * 1024);
    const report = await index.sync();
    expect(report).toMatchObject({ removed: 2, skippedCount: 2 });
    expect(report.skipped.map(({ name, reason }) => `${name}: ${reason}`).sort()).toEqual([
      'a.txt: binary content',
      'b.txt: too large: 17.0 MiB, at most 16 MiB',
    ]);
    expect(await index.search('tea')).toEqual([]);
    await expect(index.getDocument('a.txt')).rejects.toMatchObject({ code: 'document_unreadable' });
  });

  it('count as documents without passages when they are empty', async () => {
    await workspace.write('empty.txt', '');
    await workspace.write('blank.txt', ' \n\n ');
    const index = await workspace.openReady();
    expect(index.status()).toMatchObject({ documents: 2, passages: 0 });
    expect((await index.getDocument('empty.txt')).text).toBe('');
    expect(await index.search('anything')).toEqual([]);
  });

  it('keep their old state while they can not be read', async () => {
    await workspace.write('a.txt', 'Tea.');
    await workspace.write('sub/b.txt', 'Milk.');
    const index = await workspace.openReady();
    await workspace.write('a.txt', 'Coffee.');
    await chmod(workspace.path('a.txt'), 0);
    await chmod(workspace.path('sub'), 0);
    await withoutPrivileges(workspace.root, async () => {
      const report = await index.sync();
      expect(report.failed.map((notice) => notice.name).sort()).toEqual(['a.txt', 'sub/']);
      expect(await index.search('tea', { topK: 10 })).toHaveLength(2);
      await expect(index.getDocument('a.txt')).rejects.toMatchObject({ code: 'document_unreadable' });
    });
    await chmod(workspace.path('sub'), 0o700);
    await rm(workspace.path('a.txt'));
    expect(await index.sync()).toMatchObject({ removed: 1, unchanged: 1, failed: [] });
  });
});
