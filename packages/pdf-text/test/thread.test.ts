import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { PdfError, PdfReader } from '@kettle/pdf-text';
import { beforeAll, expect, test } from 'vitest';
import { endlessPdf } from './support/endless-pdf.js';
import { madePdf } from './support/made-pdf.js';
import { helvetica, onePage } from './support/raw-pdf.js';

let small: Buffer;
let endless: Buffer;

beforeAll(async () => {
  small = await madePdf((document) => document.text('Small.'));
  endless = endlessPdf();
});

function linesOfText(lines: string): Buffer {
  return onePage(`BT /F1 10 Tf 12 TL 50 700 Td ${lines} ET`, '/Font<</F1 5 0 R>>', [helvetica]);
}

test('a document that takes too long is given up, and the next one is read', async () => {
  const reader = new PdfReader({ deadline: 3000 });
  const slow = reader.read(endless);
  const next = reader.read(small);
  const error = await slow.catch((reason) => reason);
  expect(PdfError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ code: 'too_slow', message: expect.stringContaining('more than 3 s') });
  expect((await next).text).toBe('Small.');
});

test('the main thread goes on meanwhile', async () => {
  const reader = new PdfReader();
  const controller = new AbortController();
  const reading = reader.read(endless, { signal: controller.signal });
  let turns = 0;
  while (turns < 1000) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  controller.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});

test('an abort ends the document that is read, and those that wait are read', async () => {
  const reader = new PdfReader();
  const [first, second] = [new AbortController(), new AbortController()];
  const reading = reader.read(endless, { signal: first.signal });
  const waiting = reader.read(small, { signal: second.signal });
  const last = reader.read(small);
  second.abort(new Error('second'));
  await expect(waiting).rejects.toThrow('second');
  first.abort(new Error('first'));
  await expect(reading).rejects.toThrow('first');
  expect((await last).text).toBe('Small.');
  await expect(reader.read(small, { signal: first.signal })).rejects.toThrow('first');
});

test('several at once each get their own text', async () => {
  const reader = new PdfReader();
  const texts = Array.from({ length: 12 }, (_, index) => `Document ${index}.`);
  const made = await Promise.all(texts.map((text) => madePdf((document) => document.text(text))));
  const read = await Promise.all(made.map((bytes) => reader.read(bytes)));
  expect(read.map(({ text }) => text)).toEqual(texts);
});

test('a thread that ran out of memory is replaced', async () => {
  const reader = new PdfReader({ memory: 24, deadline: 50_000 });
  const line = `(${'word '.repeat(20)}) Tj T* `;
  const many = linesOfText(line.repeat(200_000));
  await expect(reader.read(many).then(({ text }) => text.length)).rejects.toMatchObject({
    code: 'too_large',
  });
  expect((await reader.read(small)).text).toBe('Small.');
});

test('urgent documents go before those that wait, in their order', async () => {
  const reader = new PdfReader();
  const order: string[] = [];
  const read = (name: string, urgent: boolean) => reader.read(small, { urgent }).then(() => order.push(name));
  await Promise.all([
    read('first', false),
    read('second', false),
    read('urgent', true),
    read('third', false),
    read('urgent too', true),
  ]);
  expect(order).toEqual(['first', 'urgent', 'urgent too', 'second', 'third']);
});

test.each([
  ['its library', 'pdfjs', "pdf.js can't be loaded"],
  ['its code', 'extract-text.js', 'extract-text.js'],
])('a thread that can not load %s blames no document', async (_, missing, message) => {
  const directory = await mkdtemp(join(tmpdir(), 'kettle-pdf-'));
  try {
    const built = fileURLToPath(new URL('../dist', import.meta.url));
    await cp(built, directory, { recursive: true, filter: (path) => !path.endsWith(missing) });
    await writeFile(join(directory, 'package.json'), '{"type":"module"}');
    const { PdfReader: Incomplete } = await import(pathToFileURL(join(directory, 'index.js')).href);
    const error = await new Incomplete().read(small).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(PdfError.isInstance(error)).toBe(false);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('an idle thread ends, and another one serves the next document', async () => {
  const threads: Worker[] = [];
  const onThread = (thread: Worker) => threads.push(thread);
  process.on('worker', onThread);
  try {
    const reader = new PdfReader({ idle: 1 });
    for (let round = 1; round <= 3; round++) {
      expect((await reader.read(small)).text).toBe('Small.');
      expect(threads).toHaveLength(round);
      await once(threads.at(-1)!, 'exit');
    }
  } finally {
    process.off('worker', onThread);
  }
});

test('nothing is printed, and the process ends by itself', async () => {
  const broken = Buffer.from(small.toString('latin1').replaceAll('/Font', '/Fnot'), 'latin1');
  const script = `
    import { PdfReader } from '@kettle/pdf-text';
    const reader = new PdfReader({ idle: 3_600_000 });
    for (const bytes of [${JSON.stringify([small, broken].map((bytes) => bytes.toString('base64')))}].flat())
      await reader.read(Buffer.from(bytes, 'base64')).catch(() => {});
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (printed += chunk));
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  expect(printed).toBe('');
});
