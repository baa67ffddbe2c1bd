import { PdfError, PdfReader } from '@kettle/pdf-text';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { madePdf } from './support/made-pdf.js';
import { helvetica, onePage, rawPdf, stream } from './support/raw-pdf.js';

const reader = new PdfReader();
let whole: Buffer;

beforeAll(async () => {
  whole = await madePdf((document) => {
    for (const page of ['first', 'second', 'third']) document.text(`The ${page} page.`).addPage();
  });
});

/** The text, or the code of the PdfError; nothing else may come out. */
async function outcome(bytes: Uint8Array): Promise<string> {
  try {
    return (await reader.read(bytes)).text;
  } catch (error) {
    if (!PdfError.isInstance(error)) throw error;
    expect(error.message).toMatch(/^The PDF .*: .*\.$/);
    return error.code;
  }
}

test.each([
  ['nothing', ''],
  ['only the first line', '%PDF-1.7\n'],
  ['plain text', 'Dogs are welcome on the terrace.\n'.repeat(100)],
  ['a page of the web', '<!doctype html><title>Log in</title>'],
])('%s is a damaged PDF', async (_, content) => {
  expect(await outcome(Buffer.from(content))).toBe('damaged');
});

test('without pages it is damaged', async () => {
  const none = rawPdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[]/Count 0>>']);
  expect(await outcome(none)).toBe('damaged');
});

test('a page that is missing is told of, and the others are read', async () => {
  const bytes = rawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R 9 0 R 3 0 R]/Count 3>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    stream('BT /F1 10 Tf 50 700 Td (Here.) Tj ET'),
    helvetica,
  ]);
  expect(await reader.read(bytes)).toMatchObject({ text: expect.stringContaining('Here.'), unreadable: 1 });
});

test.each([10, 20, 30, 40, 50, 60, 70, 80, 90, 99])(
  'the first %i % of a PDF give text or a reason',
  async (part) => {
    await outcome(whole.subarray(0, (whole.length * part) / 100));
    // The thread is as good as before.
    expect(await outcome(whole)).toContain('The third page.');
  },
);

test('whatever happens to its bytes, a PDF gives text or a reason', async () => {
  const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(damage, async (changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      const first = await outcome(bytes);
      expect(await outcome(bytes)).toBe(first);
    }),
    { numRuns: 60 },
  );
  expect(await outcome(whole)).toContain('The first page.');
});

describe('a small file that unpacks to more than there is memory', () => {
  const bombs = {
    'as the content of a page': () => onePage(Buffer.alloc(80 * 2 ** 20, ' '), '', []),
    'as a map of characters': () =>
      onePage('BT /F1 10 Tf 50 700 Td <0001> Tj ET', '/Font<</F1 5 0 R>>', [
        '<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R>>',
        '<</Type/Font/Subtype/CIDFontType2/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>',
        stream(Buffer.alloc(80 * 2 ** 20, ' ')),
      ]),
    'as text': () => {
      const show = Buffer.from(`(${'word '.repeat(1000)}) Tj T* `);
      const text = Buffer.concat([
        Buffer.from('BT /F1 10 Tf 50 700 Td '),
        Buffer.alloc(show.length * 8000, show),
      ]);
      return onePage(text, '/Font<</F1 5 0 R>>', [helvetica]);
    },
  };
  test.each(Object.entries(bombs))('%s', async (_, bomb) => {
    const small = new PdfReader({ memory: 64, deadline: 45_000 });
    const bytes = bomb();
    expect(bytes.length).toBeLessThan(2 ** 20);
    const before = process.memoryUsage().rss;
    await expect(small.read(bytes)).rejects.toMatchObject({ code: 'too_large' });
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 2 ** 20);
    expect((await small.read(whole)).text).toContain('The first page.');
  });
});
