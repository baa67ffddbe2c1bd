export { PdfError, type PdfErrorCode, type PdfErrorOptions } from './errors.js';
export { PdfReader, type PdfReaderOptions, type ReadOptions } from './pdf-reader.js';
export { extractorVersion, type PdfText } from './pdf-text.js';
