import type { PdfErrorCode } from './errors.js';
import type { PdfText } from './pdf-text.js';

/** To the thread: the bytes of one PDF. From it: one of these. */
export type Reply =
  | { readonly result: PdfText }
  | { readonly error: { readonly code: PdfErrorCode; readonly detail?: string } }
  /** The thread can't work; the document is not to blame. */
  | { readonly failure: string };
