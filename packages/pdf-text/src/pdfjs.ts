/** A stretch of text on a page, in the order in which the page draws it. */
export interface TextItem {
  readonly str: string;
  readonly dir: 'ltr' | 'rtl' | 'ttb';
  /** Of the text along its direction, in points. */
  readonly width: number;
  readonly height: number;
  /** Six numbers that place it on the page. */
  readonly transform: readonly number[];
  /** A new line begins behind it. */
  readonly hasEOL: boolean;
}

export interface PdfPage {
  getTextContent(): Promise<{ readonly items: readonly TextItem[] }>;
  getViewport(options: { scale: number }): { readonly transform: readonly number[] };
  cleanup(): void;
}

export interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
}

/** What is used of pdf.js. */
export interface PdfJs {
  getDocument(options: Readonly<Record<string, unknown>>): {
    readonly promise: Promise<PdfDocument>;
    destroy(): Promise<void>;
  };
}

const folder = new URL('./pdfjs/', import.meta.url);

const silence = () => {};

/** For a thread that does nothing else: pdf.js asks for classes that draw, and gets empty ones. */
export async function loadPdfJs(): Promise<PdfJs> {
  const empty = { DOMMatrix: class {}, ImageData: class {}, Path2D: class {} };
  Object.assign(globalThis, empty);
  Object.assign(globalThis.console, { log: silence, info: silence, warn: silence, error: silence });
  // Nothing in a PDF leads out of it.
  Reflect.deleteProperty(globalThis, 'fetch');
  const pdfjs = (await import(new URL('pdf.mjs', folder).href)) as PdfJs;
  // In Node pdf.js has no second thread: it finds this module loaded and calls it.
  await import(new URL('pdf.worker.mjs', folder).href);
  return pdfjs;
}

/** Where the character maps are, as a path: pdf.js reads them with `fs`. */
export const cMapFolder = new URL('cmaps/', folder);
