/** What a PDF says. */
export interface PdfText {
  /**
   * Unicode text in composed form (NFC), without control characters other than line feeds. Paragraphs are divided
   * by an empty line, pages too.
   */
  readonly text: string;
  readonly pages: number;
  /** Pages that could not be read, though others could; they are missing in `text`. */
  readonly unreadable: number;
}

/** Raised whenever the same PDF gives another text, so that those who keep texts know to read their PDFs again. */
export const extractorVersion = 1;
