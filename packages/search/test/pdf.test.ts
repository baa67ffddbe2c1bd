import { readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { extractorVersion } from '@kettle/pdf-text';
import { SearchError, type SearchIndex } from '@kettle/search';
import Database from 'better-sqlite3';
import PDFDocument from 'pdfkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endlessPdf } from '../../pdf-text/test/support/endless-pdf.js';
import { until } from './support/until.js';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;

beforeEach(async () => {
  workspace = await Workspace.create();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await workspace.remove();
});

async function pdf(pages: readonly string[], options: PDFKit.PDFDocumentOptions = {}): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false, ...options });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => document.once('end', resolve));
  for (const page of pages) document.addPage().text(page);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Runs SQL on the catalog; of a query, the first value. */
function catalog(sql: string): unknown {
  const [folder] = readdirSync(workspace.index);
  const db = new Database(join(workspace.index, folder!, 'catalog.sqlite'));
  try {
    const statement = db.prepare(sql);
    return statement.reader ? statement.pluck().get() : statement.run();
  } finally {
    db.close();
  }
}

/** Files that were written just now are read once more, for their stamps do not tell yet. */
async function synchroniseUntil(index: SearchIndex, condition: string): Promise<void> {
  await until(index, async () => {
    await index.sync();
    return Boolean(catalog(condition));
  });
}

/** Calls back for each PDF that goes to the thread that reads them. */
function onReading(listener: () => void): void {
  const post = Worker.prototype.postMessage;
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, ...args) {
    if (args[0] instanceof Uint8Array) listener();
    post.apply(this, args);
  });
}

/** Gives up PDFs after a second instead of a minute. */
function shortenDeadline(): void {
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    work: () => void,
    milliseconds: number,
    ...args: []
  ) => setTimeout(work, milliseconds === 60_000 ? 1000 : milliseconds, ...args)) as typeof setTimeout);
}

const bicycles = 'Bicycles may be kept in the yard, next to the shed, and are locked at night.';

it('finds a passage in a PDF, at its place in the text that the document gives', async () => {
  await workspace.write('tea.txt', 'Tea with milk.');
  await workspace.write('House Rules.PDF', await pdf(['Dogs sleep in the hall.', bicycles]));
  const index = await workspace.openReady();

  const [hit] = await index.search('bicycles in the yard', { topK: 1 });
  expect(hit).toMatchObject({ document: 'House Rules.PDF', mimeType: 'text/plain' });
  expect(hit!.passage).toContain(bicycles);

  const { text, mimeType } = await index.getDocument('House Rules.PDF');
  expect(text).toBe(`Dogs sleep in the hall.\n\n${bicycles}`);
  expect(mimeType).toBe('text/plain');
  expect(text.slice(hit!.start, hit!.end)).toContain(bicycles);
  expect((await index.getDocument('House Rules.PDF')).text).toBe(text);
});

it('follows PDFs that are added, changed, renamed and deleted', async () => {
  const index = await workspace.openReady();
  const best = async () => (await index.search('bicycles', { topK: 1 })).map(({ document }) => document);
  await workspace.write('a.pdf', await pdf([bicycles]));
  expect(await index.sync()).toMatchObject({ added: 1 });
  expect(await best()).toEqual(['a.pdf']);
  await rename(workspace.path('a.pdf'), workspace.path('b.pdf'));
  expect(await index.sync()).toMatchObject({ renamed: 1, embedded: 0 });
  expect(await best()).toEqual(['b.pdf']);
  await workspace.write('b.pdf', await pdf(['Only dogs.']));
  expect(await index.sync()).toMatchObject({ changed: 1 });
  expect((await index.search('dogs'))[0]).toMatchObject({ passage: 'Only dogs.' });
  await rm(workspace.path('b.pdf'));
  expect(await index.sync()).toMatchObject({ removed: 1 });
  expect(await index.search('dogs')).toEqual([]);
});

it('takes a file that is called otherwise for something else', async () => {
  const bytes = await pdf([bicycles]);
  await workspace.write('a.pdf', bytes);
  const index = await workspace.openReady();
  await rename(workspace.path('a.pdf'), workspace.path('a.txt'));
  await index.sync();
  const hits = await index.search('bicycles');
  expect(hits.filter(({ passage }) => passage.includes(bicycles))).toEqual([]);
});

it('indexes the rest of a folder with PDFs that give no text, and says why they are left out', async () => {
  const whole = await pdf([bicycles]);
  await workspace.write('whole.pdf', whole);
  await workspace.write('broken.pdf', whole.subarray(0, 40));
  await workspace.write('empty.pdf', '');
  await workspace.write('letter.pdf', 'Dear bicycles, this is no PDF.');
  await workspace.write('locked.pdf', await pdf([bicycles], { userPassword: 'secret' }));
  await workspace.write('scan.pdf', await pdf(['']));
  const index = await workspace.openReady();

  expect((await index.search('bicycles')).map(({ document }) => document)).toEqual(['whole.pdf']);
  const { skipped } = index.status().lastSync!;
  expect(Object.fromEntries(skipped.map(({ name, reason }) => [name, reason]))).toEqual({
    'broken.pdf': expect.stringMatching(/^The PDF is damaged .*qpdf/),
    'empty.pdf': expect.stringMatching(/^The PDF is damaged/),
    'letter.pdf': expect.stringMatching(/^The PDF is damaged/),
    'locked.pdf': 'The PDF needs a password: save a copy of it without one',
    'scan.pdf': expect.stringMatching(/^The PDF holds no text.*OCR/),
  });
  expect((await index.listDocuments()).map(({ name }) => name)).toEqual(['whole.pdf']);
  const error = await index.getDocument('locked.pdf').catch((reason) => reason);
  expect(error).toBeInstanceOf(SearchError);
  expect(error).toMatchObject({
    code: 'document_unreadable',
    message: expect.stringContaining('needs a password'),
  });
});

it('leaves what it refused in peace until it changes', async () => {
  await workspace.write('scan.pdf', await pdf(['']));
  let index = await workspace.openReady();
  await synchroniseUntil(index, `SELECT 1 FROM meta WHERE value LIKE '%"settled":true%'`);
  await index.close();

  // Were it read again, the reason would be the true one.
  catalog(`UPDATE meta SET value = replace(value, 'holds no text', 'held no text') WHERE key = 'refused'`);
  index = await workspace.openReady();
  const { skipped, skippedCount, unchanged } = index.status().lastSync!;
  expect({ skippedCount, unchanged }).toEqual({ skippedCount: 1, unchanged: 0 });
  expect(skipped).toEqual([{ name: 'scan.pdf', reason: expect.stringContaining('held no text') }]);
  expect(await index.listDocuments()).toEqual([]);
  expect((await index.sync({ force: true })).skipped).toEqual([
    { name: 'scan.pdf', reason: expect.stringContaining('holds no text') },
  ]);

  await workspace.write('scan.pdf', await pdf([bicycles]));
  expect(await index.sync()).toMatchObject({ added: 1, skippedCount: 0 });
  expect(await index.search('bicycles')).toHaveLength(1);
});

it('remembers what it refused also where the run came to nothing', async () => {
  await workspace.write('a.pdf', await pdf(['']));
  // Beside one as large, the next waits until one of the two is done.
  await workspace.write('b.pdf', Buffer.alloc(200_000, 'No PDF. '));
  await workspace.write('c.pdf', endlessPdf());
  let readings = 0;
  const reading = new Promise<void>((resolve) => onReading(() => ++readings === 3 && resolve()));
  const index = await workspace.open();
  await reading;
  await index.close();
  expect(catalog(`SELECT value FROM meta WHERE key = 'refused'`)).toMatch(/"[ab]\.pdf"/);
  expect(catalog(`SELECT count(*) FROM meta WHERE key = 'synced_at'`)).toBe(0);
});

it('keeps what a PDF said that takes too long now, and tries again later', async () => {
  const whole = await pdf([bicycles]);
  await workspace.write('a.pdf', whole);
  const index = await workspace.openReady();
  const finds = async () => (await index.search('bicycles')).map(({ document }) => document);
  let readings = 0;
  onReading(() => readings++);
  shortenDeadline();
  await workspace.write('a.pdf', endlessPdf());
  const slow = [{ name: 'a.pdf', reason: expect.stringContaining('took too long') }];
  expect(await index.sync()).toMatchObject({ removed: 0, skipped: slow, failed: [] });
  expect(await finds()).toEqual(['a.pdf']);
  await synchroniseUntil(index, `SELECT 1 FROM meta WHERE value LIKE '%"settled":true%'`);

  // For a while it is left in peace, whoever asks.
  const before = readings;
  expect(await index.sync()).toMatchObject({ skipped: slow });
  await expect(index.getDocument('a.pdf')).rejects.toMatchObject({ code: 'document_unreadable' });
  expect(readings).toBe(before);

  catalog(`UPDATE meta SET value = replace(value, '"retryAt":', '"retryAt":-') WHERE key = 'refused'`);
  expect(await index.sync()).toMatchObject({ skipped: slow });
  expect(readings).toBe(before + 1);
  expect(await finds()).toEqual(['a.pdf']);

  await workspace.write('a.pdf', await pdf(['Only dogs.']));
  expect(await index.sync()).toMatchObject({ changed: 1, skippedCount: 0 });
  expect((await index.search('dogs'))[0]).toMatchObject({ passage: 'Only dogs.' });
});

it('does not read again what it refused because somebody asks for it', async () => {
  await workspace.write('scan.pdf', await pdf(['']));
  const index = await workspace.openReady();
  await synchroniseUntil(index, `SELECT 1 FROM meta WHERE value LIKE '%"settled":true%'`);
  let readings = 0;
  onReading(() => readings++);
  await expect(index.getDocument('scan.pdf')).rejects.toMatchObject({
    code: 'document_unreadable',
    message: expect.stringContaining('holds no text'),
  });
  expect(readings).toBe(0);
  await workspace.write('scan.pdf', await pdf([bicycles]));
  expect((await index.getDocument('scan.pdf')).text).toBe(bicycles);
});

it('gives a document that somebody asks for before those that are indexed', async () => {
  await Promise.all(
    Array.from({ length: 20 }, async (_, number) =>
      workspace.write(`${number}.pdf`, await pdf([`${bicycles} ${number}`])),
    ),
  );
  let readings = 0;
  const reading = new Promise<void>((resolve) => {
    onReading(() => {
      readings++;
      resolve();
    });
  });
  const index = await workspace.open();
  await reading;
  expect((await index.getDocument('19.pdf')).text).toContain(`${bicycles} 19`);
  expect(readings).toBeLessThan(20);
});

it('reads PDFs anew after an upgrade of what reads them, and nothing else, and nothing without one', async () => {
  await workspace.write('a.pdf', await pdf([bicycles]));
  await workspace.write('a.txt', 'Tea with milk.');
  let index = await workspace.openReady();
  await synchroniseUntil(index, `SELECT count(*) = 0 FROM documents WHERE stamp = ''`);
  await index.close();

  expect(catalog('SELECT max(splitter) - min(splitter) FROM documents')).toBe(1000 * extractorVersion);

  // A file that is read again is found to be another one.
  catalog(`UPDATE documents SET hash = 'another'`);
  index = await workspace.openReady();
  expect(index.status().lastSync).toMatchObject({ unchanged: 2, changed: 0, embedded: 0 });
  await index.close();

  catalog(`UPDATE documents SET splitter = splitter - 1000 WHERE name = 'a.pdf'`);
  index = await workspace.openReady();
  expect(index.status().lastSync).toMatchObject({ unchanged: 1, changed: 1, embedded: 0 });
  expect(await index.search('bicycles')).toHaveLength(2);
});

it('tells of pages that are missing', async () => {
  const bytes = (await pdf([bicycles, 'Dogs.'])).toString('latin1');
  // The same length, for all that follows is found by its place.
  const damaged = bytes.replace(/(\/Kids \[\d+ 0 R )\d/, '$19');
  expect(damaged).not.toBe(bytes);
  await workspace.write('a.pdf', Buffer.from(damaged, 'latin1'));
  const index = await workspace.openReady();
  const { warnings } = index.status().lastSync!;
  expect(warnings).toEqual([
    { name: 'a.pdf', reason: expect.stringMatching(/^1 of its \d pages can't be read$/) },
  ]);
  expect((await index.search('bicycles'))[0]).toMatchObject({ document: 'a.pdf' });
});

it('ends with the index, also while a PDF is read', async () => {
  await workspace.write('a.pdf', endlessPdf());
  const reading = new Promise<void>(onReading);
  const index = await workspace.open();
  await reading;
  await index.close();
  await expect(index.getDocument('a.pdf')).rejects.toMatchObject({ code: 'closed' });
  // The next one does not wait until the other is given up.
  await workspace.write('a.pdf', await pdf([bicycles]));
  expect(await (await workspace.openReady()).search('bicycles')).toHaveLength(1);
});

it('ends a reading that nobody waits for', async () => {
  await workspace.write('a.pdf', await pdf([bicycles]));
  const index = await workspace.openReady();
  const controller = new AbortController();
  const reading = index.getDocument('a.pdf', { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});
