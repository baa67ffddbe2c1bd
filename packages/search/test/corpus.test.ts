import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CorpusError, readCorpus } from '@kettle/search';
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

describe('readCorpus', () => {
  const describeWith = (value: unknown) =>
    writeFile(join(workspace.root, 'corpus.json'), typeof value === 'string' ? value : JSON.stringify(value));

  it('takes name, description and folder from corpus.json', async () => {
    await describeWith({ name: 'Cafe', description: 'Papers of a cafe.', documents: 'documents', more: 1 });
    expect(await readCorpus(workspace.root)).toMatchObject({
      name: 'Cafe',
      description: 'Papers of a cafe.',
      directory: workspace.documents,
    });
  });

  it('does without it, and lets the caller name things', async () => {
    const corpus = await readCorpus(workspace.documents);
    expect(corpus).toMatchObject({ name: 'documents', directory: workspace.documents });
    expect(corpus.description).toBe('');
    expect(corpus.id).toMatch(/^documents-[0-9a-f]{12}$/);
    const named = await readCorpus(workspace.documents, { name: 'Mine', description: 'All of it.' });
    expect(named).toMatchObject({ name: 'Mine', description: 'All of it.', id: corpus.id });
    expect(Object.isFrozen(corpus)).toBe(true);
  });

  it('gives one corpus for a folder and a symbolic link to it', async () => {
    await symlink(workspace.documents, join(workspace.root, 'link'));
    expect(await readCorpus(join(workspace.root, 'link'))).toEqual(await readCorpus(workspace.documents));
  });

  it.each([
    ['broken JSON', '{"name": '],
    ['a list', []],
    ['a blank name', { name: ' ' }],
    ['a number for the description', { description: 5 }],
    ['a folder outside', { documents: '..' }],
  ])('refuses %s', async (_, value) => {
    await describeWith(value);
    await expect(readCorpus(workspace.root)).rejects.toMatchObject({ name: 'CorpusError', code: 'invalid' });
  });

  it('says what is wrong with the folder', async () => {
    await expect(readCorpus(join(workspace.root, 'none'))).rejects.toMatchObject({ code: 'not_found' });
    await workspace.write('file.txt', 'x');
    await expect(readCorpus(workspace.path('file.txt'))).rejects.toMatchObject({ code: 'not_a_folder' });
    await describeWith({ documents: 'nowhere' });
    const error = await readCorpus(workspace.root).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CorpusError);
    expect(error).toMatchObject({ code: 'not_found' });
  });

  it('says when it may not read it', async () => {
    const closed = join(workspace.root, 'closed');
    await mkdir(join(closed, 'inner'), { recursive: true });
    await chmod(closed, 0);
    await withoutPrivileges(workspace.root, () =>
      expect(readCorpus(join(closed, 'inner'))).rejects.toMatchObject({ code: 'unreadable' }),
    );
    // The folder itself: it is named, and not the corpus.json that it may hold.
    await withoutPrivileges(workspace.root, () =>
      expect(readCorpus(closed)).rejects.toMatchObject({
        code: 'unreadable',
        message: `The folder ${closed} can't be read (EACCES). Check its rights.`,
      }),
    );
    await chmod(closed, 0o700);
  });
});
