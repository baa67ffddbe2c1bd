import { PdfError, PdfReader } from '@kettle/pdf-text';
import type { DecodedText } from './decode-text.js';
import type { ReadOptions } from './file-types.js';
import { NotADocument } from './not-a-document.js';
import { TookTooLong } from './took-too-long.js';

/** One thread for all indexes of the process; it starts with the first PDF. */
const reader = new PdfReader();

/** Readers of PDFs accept something before it. */
const signature = '%PDF-';
const signatureWithin = 1024;

/**
 * The text of a PDF.
 *
 * @throws {NotADocument} where there is none to be had.
 * @throws {TookTooLong}
 */
export async function readPdf(bytes: Uint8Array, options?: ReadOptions): Promise<DecodedText> {
  try {
    const { text, pages, unreadable } = await reader.read(bytes, options);
    if (unreadable === 0) return { text };
    return { text, warning: `${unreadable} of its ${pages} pages can't be read` };
  } catch (error) {
    if (!PdfError.isInstance(error)) throw error;
    const reason = error.message.replace(/\.$/, '');
    throw new (error.code === 'too_slow' ? TookTooLong : NotADocument)(reason, { cause: error });
  }
}

export function beginsLikePdf(start: Uint8Array): boolean {
  return Buffer.from(start.subarray(0, signatureWithin)).includes(signature);
}
