import { fileURLToPath } from 'node:url';
import { PdfError } from './errors.js';
import { type Line, linesOf } from './lines.js';
import { compoundsOf, joinLines } from './paragraphs.js';
import type { PdfText } from './pdf-text.js';
import { cMapFolder, type PdfDocument, type PdfJs, type PdfPage, type TextItem } from './pdfjs.js';

/** UTF-16 code units. More is no document that people read, and would have to fit into memory several times. */
const mostText = 16 * 2 ** 20;

/**
 * Reads a whole PDF.
 *
 * @throws {PdfError} `no_text`, `too_large` or `damaged`; what pdf.js throws where it can't open the file.
 */
export async function extractText(pdfjs: PdfJs, bytes: Uint8Array): Promise<PdfText> {
  const task = pdfjs.getDocument({
    data: bytes,
    verbosity: 0,
    // Text needs no pictures, no drawing and no code, and nothing from elsewhere.
    isEvalSupported: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    useWasm: false,
    disableFontFace: true,
    useSystemFonts: true,
    cMapUrl: fileURLToPath(cMapFolder),
    cMapPacked: true,
  });
  try {
    return await readPages(await task.promise);
  } finally {
    await task.destroy();
  }
}

async function readPages(document: PdfDocument): Promise<PdfText> {
  const pages: Line[][] = [];
  let size = 0;
  let unreadable = 0;
  for (let number = 1; number <= document.numPages; number++) {
    const lines = await readPage(document, number);
    if (lines === undefined) unreadable++;
    else pages.push(lines);
    for (const line of lines ?? []) size += line.text.length;
    if (size > mostText) throw new PdfError('too_large');
  }
  const compounds = compoundsOf(pages.flat());
  const text = pages
    .map((lines) => joinLines(lines, compounds))
    .filter((page) => page !== '')
    .join('\n\n')
    .normalize('NFC');
  if (text === '') throw new PdfError(unreadable > 0 || document.numPages === 0 ? 'damaged' : 'no_text');
  return { text, pages: document.numPages, unreadable };
}

/** Gives `undefined` for a page that is damaged: the others are worth reading. */
async function readPage(document: PdfDocument, number: number): Promise<Line[] | undefined> {
  let page: PdfPage;
  let items: readonly TextItem[];
  try {
    page = await document.getPage(number);
    ({ items } = await page.getTextContent());
  } catch {
    return undefined;
  }
  const lines = linesOf(items, page.getViewport({ scale: 1 }).transform);
  page.cleanup();
  return lines;
}
