import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { PdfReader } from '@kettle/pdf-text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browser = [process.env.CHROMIUM_PATH, ...usual].find((path) => path && existsSync(path));
if (!browser && process.env.CI)
  throw new Error("A browser's PDF is read here: install Chromium, or say where it is in CHROMIUM_PATH.");
const skip = browser ? false : 'no Chromium here; install it, or say where it is in CHROMIUM_PATH';
if (skip) process.stderr.write(`No PDF of a browser is read: ${skip}\n`);

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-pdf-header-footer',
];

describe.skipIf(skip)('what a browser prints', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kettle-pdf-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  async function print(html: string): Promise<string> {
    const page = join(directory, 'page.html');
    const pdf = join(directory, 'page.pdf');
    await writeFile(page, `<!doctype html><meta charset="utf-8">${html}`);
    const profile = `--user-data-dir=${join(directory, 'profile')}`;
    await promisify(execFile)(browser!, [
      ...args,
      profile,
      `--print-to-pdf=${pdf}`,
      pathToFileURL(page).href,
    ]);
    return (await new PdfReader().read(await readFile(pdf))).text;
  }

  test('is read as it was written', async () => {
    const paragraphs = [
      'The office’s efficient flow — over 50 % larger',
      'Kettle keeps the index of a folder true and searches it, by what the words mean and by the words themselves. A paragraph is as long as it has to be for its lines to break, and more than once: over and over, until the width of a page is used up twice or three times.',
      'Another one, with x2 and naïve cafés, Grüße, Ωμέγα and русский.',
    ];
    const [title, first, second] = paragraphs;
    const text = await print(
      `<h1>${title}</h1><p>${first}</p><p>${second!.replace('x2', 'x<sup>2</sup>')}</p><p style="break-before:page">Page two.</p>`,
    );
    expect(text).toBe([...paragraphs, 'Page two.'].join('\n\n'));
  });

  test('in two justified columns is read column by column', async () => {
    const sentence =
      'Internationalization of extraordinary responsibilities demonstrates straightforward opportunities, notwithstanding incomprehensible misunderstandings.';
    const text = await print(
      `<style>div{columns:2;text-align:justify;hyphens:none}</style><div lang="en">${`<p>${sentence}</p>`.repeat(4)}</div>`,
    );
    expect(text.replaceAll(/\s+/g, ' ')).toBe(Array(4).fill(sentence).join(' '));
  });

  test('from the right to the left is read from the right', async () => {
    const text = await print('<p dir="rtl">שורה 12 שנייה.</p>');
    expect(text).toBe('שורה 12 שנייה.');
  });
});
