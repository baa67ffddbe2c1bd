/**
 * - `encrypted`: opening it needs a password.
 * - `no_text`: it holds no text, only pictures, as scanned pages do.
 * - `damaged`: it can't be read as a PDF.
 * - `too_slow`: reading it took longer than the deadline, which is one of the clock.
 * - `too_large`: reading it needs more memory, or gives more text, than the reader allows.
 */
export type PdfErrorCode = 'encrypted' | 'no_text' | 'damaged' | 'too_slow' | 'too_large';

export interface PdfErrorOptions extends ErrorOptions {
  /** What was found in detail; stands in the message. */
  readonly detail?: string;
}

const brand = Symbol.for('kettle.PdfError');

const sentences: Readonly<Record<PdfErrorCode, (detail: string) => string>> = {
  encrypted: () => 'The PDF needs a password: save a copy of it without one.',
  no_text: () =>
    'The PDF holds no text, only pictures of it perhaps, as scanned pages do. Text is not recognised in pictures here: let a program for text recognition (OCR), such as ocrmypdf, add it.',
  damaged: (detail) =>
    `The PDF is damaged${detail}: export it anew from its source, or repair it, with qpdf for instance.`,
  too_slow: (detail) =>
    `The PDF took too long to read${detail}: save it anew, or split it into smaller files.`,
  too_large: (detail) => `The PDF is too large to read${detail}: split it into smaller files.`,
};

/**
 * Why a PDF gives no text. It is about the document: reading the same bytes again ends the same way, but for
 * `too_slow`, which a busy machine may cause too.
 */
export class PdfError extends Error {
  override readonly name = 'PdfError';
  readonly code: PdfErrorCode;
  readonly [brand] = true;

  constructor(code: PdfErrorCode, { detail, ...options }: PdfErrorOptions = {}) {
    super(sentences[code](detail ? ` (${detail})` : ''), options);
    this.code = code;
  }

  /** True for errors of every copy of this package. */
  static isInstance(error: unknown): error is PdfError {
    return typeof error === 'object' && error !== null && brand in error;
  }
}
