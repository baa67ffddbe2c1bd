import { PdfError, PdfReader } from '@kettle/pdf-text';
import { expect, test } from 'vitest';
import { madePdf } from './support/made-pdf.js';
import { helvetica, linesPdf, mappedPdf, onePage, predefinedMapPdf } from './support/raw-pdf.js';

const reader = new PdfReader();
const textOf = async (bytes: Uint8Array) => (await reader.read(bytes)).text;

const paragraph =
  'Dogs are welcome on the terrace all year round, and inside as long as nobody minds. Bring a bowl, for ours are in use. The kitchen closes at nine, an hour before the house does, except on the days before holidays.';

test('pages follow one another, and each paragraph is one line', async () => {
  const bytes = await madePdf((document) => {
    document.fontSize(20).text('House rules').fontSize(11).moveDown();
    document.text(paragraph, { align: 'justify' }).moveDown().text(paragraph);
    document.addPage().text('Page two.').addPage().addPage().text('Page four.');
  });
  expect(await reader.read(bytes)).toEqual({
    text: `House rules\n\n${paragraph}\n\n${paragraph}\n\nPage two.\n\nPage four.`,
    pages: 4,
    unreadable: 0,
  });
});

test('columns are read one after the other', async () => {
  const other = paragraph.replace('Dogs', 'Cats');
  const bytes = await madePdf((document) => {
    document.fontSize(10).text(paragraph, 72, 100, { width: 200 }).text(other, 320, 100, { width: 200 });
  });
  expect(await textOf(bytes)).toBe(`${paragraph}\n\n${other}`);
});

test('the same bytes give the same text, and stay as they are', async () => {
  const bytes = await madePdf((document) => document.text(paragraph));
  const before = Buffer.from(bytes);
  const [one, two] = await Promise.all([reader.read(bytes), reader.read(bytes)]);
  expect(two).toEqual(one);
  expect(await new PdfReader().read(bytes)).toEqual(one);
  expect(bytes.equals(before)).toBe(true);
});

/** Lines of a block, 12 points below one another. */
const block = (...texts: string[]) =>
  linesPdf(texts.map((text, index) => ({ x: 50, y: 700 - 12 * index, text })));

test.each([
  [
    'joined where a line is full',
    ['the words of a line that', 'go on in the next'],
    'the words of a line that go on in the next',
  ],
  [
    'kept where the next word had room',
    ['A short line', 'and then a line that is much longer than that'],
    'A short line\nand then a line that is much longer than that',
  ],
  [
    'kept before an item of a list',
    ['a line that is as long as it can', '2. second'],
    'a line that is as long as it can\n2. second',
  ],
  [
    'joined inside a word',
    ['a line that ends in the mid-', 'dle of a word'],
    'a line that ends in the middle of a word',
  ],
  [
    'joined at the hyphen of a word that has one elsewhere',
    ['the well-known line is so well-', 'known'],
    'the well-known line is so well-known',
  ],
  [
    'joined at the hyphen before a capital',
    ['a line about the city of Baden-', 'Baden'],
    'a line about the city of Baden-Baden',
  ],
])('line ends are %s', async (_, lines, text) => {
  expect(await textOf(block(...lines))).toBe(text);
});

test('lines far apart, beside one another or of another size are no paragraph', async () => {
  const lines = [
    { x: 50, y: 700, text: 'A line that is long enough' },
    { x: 50, y: 600, text: 'far below' },
    { x: 400, y: 588, text: 'beside' },
    { x: 50, y: 500, text: 'A heading of another size', size: 18 },
    { x: 50, y: 480, text: 'and what follows' },
  ];
  expect(await textOf(linesPdf(lines))).toBe(lines.map(({ text }) => text).join('\n\n'));
});

test('raised letters stay in their line', async () => {
  const lines = [
    { x: 50, y: 700, text: 'E = mc' },
    { x: 81.6, y: 704, text: '2', size: 6 },
    { x: 50, y: 688, text: 'below it there is more' },
  ];
  expect(await textOf(linesPdf(lines))).toBe('E = mc2\nbelow it there is more');
});

test('a page that lies on its side is read as it is shown', async () => {
  const bytes = onePage(
    'BT /F1 10 Tf 0 1 -1 0 100 50 Tm (the words of a line that go) Tj 0 1 -1 0 112 50 Tm (on in the next) Tj ET',
    '/Font<</F1 5 0 R>>',
    [helvetica],
    '/Rotate 90',
  );
  expect(await textOf(bytes)).toBe('the words of a line that go on in the next');
});

test.each([
  ['letters of all scripts', ['Ω', 'ж', 'é', 'ß', '猫', '𝄞'], 'Ωжéß猫𝄞'],
  ['ligatures as their letters', ['e', '\ufb03', 'c', '\ufb02'], 'efficfl'],
  ['accents in one with their letters', ['a', '\u0301', 'o', '\u0308'], 'áö'],
  ['no control characters', ['a', '\0', 'b', '\x07', '\x1b', 'c', '\x7f', '\x85'], 'abc'],
  ['nothing that only the font knows', ['a', '\ue000', 'b', '\uf8ff'], 'ab'],
])('the text has %s', async (_, characters, text) => {
  expect(await textOf(mappedPdf(characters))).toBe(text);
});

test('the text has no halves of surrogate pairs', async () => {
  for (const half of ['\ud800', '\udc00']) {
    const text = await textOf(mappedPdf(['a', half, ' ', 'b', `c${half}`]));
    expect(text.replace(/\p{Cs}/u, '!')).toBe(text);
    expect(text[0]).toBe('a');
  }
});

test.each([
  ['UniJIS-UCS2-H', 'Japan1', '日本語の文書です', 'utf16le'],
  ['UniGB-UCS2-H', 'GB1', '中文文件', 'utf16le'],
  ['UniKS-UCS2-H', 'Korea1', '한국어 문서', 'utf16le'],
] as const)('fonts that are not embedded are read by the map %s', async (map, ordering, text, encoding) => {
  const bytes = Buffer.from(text, encoding).swap16();
  expect(await textOf(predefinedMapPdf(map, ordering, bytes))).toBe(text);
});

test('a PDF without text says so', async () => {
  const error = await reader
    .read(await madePdf((document) => document.rect(0, 0, 9, 9).fill()))
    .catch((e) => e);
  expect(PdfError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({ code: 'no_text', message: expect.stringContaining('OCR') });
});

test('a PDF with a password says so, and one that only restricts is read', async () => {
  const locked = await madePdf((document) => document.text('Secret.'), {
    userPassword: 'open',
    pdfVersion: '1.7',
  });
  await expect(reader.read(locked)).rejects.toMatchObject({
    code: 'encrypted',
    message: expect.stringContaining('password'),
  });
  const restricted = await madePdf((document) => document.text('Read me.'), { ownerPassword: 'owner' });
  expect(await textOf(restricted)).toBe('Read me.');
});
