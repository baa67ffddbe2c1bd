import type { PdfErrorCode } from './errors.js';
import type { PdfText } from './pdf-text.js';

/** To the thread: the bytes of one PDF. From it: once that it is ready, and for each PDF one of the others. */
export type Reply =
  | { readonly ready: true }
  | { readonly result: PdfText }
  | { readonly error: { readonly code: PdfErrorCode; readonly detail?: string } }
  /** The thread can't work; the document is not to blame. */
  | { readonly failure: string };
