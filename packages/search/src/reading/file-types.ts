import { extname } from 'node:path/posix';
import { extractorVersion } from '@kettle/pdf-text';
import { type DecodedText, decodeText } from './decode-text.js';
import { beginsLikePdf, readPdf } from './read-pdf.js';

/** How the passages of a type find their headings. */
export type Markup = 'plain' | 'markdown';

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Somebody waits for this file: it goes before those that are indexed. @default false */
  readonly urgent?: boolean;
}

/** A kind of file that can be indexed. Another kind is another row with a reader of its own. */
export interface FileType {
  readonly extensions: readonly string[];
  /** Of the text that is read from it, for that is what is served. */
  readonly mimeType: string;
  readonly markup: Markup;
  /** Larger files are left out: they would have to fit into memory. */
  readonly maxBytes: number;
  /** Raised whenever `read` gives another text for the same bytes, so that files of this type are read again. */
  readonly version: number;
  /** Whether a file that begins so may be of this type. */
  readonly beginsLike: (start: Uint8Array) => boolean;
  /**
   * Bytes to text; gives `undefined` when the bytes are not of this type.
   *
   * @throws {NotADocument} when they are, but give no text.
   * @throws {TookTooLong} when reading them was given up.
   */
  readonly read: (
    bytes: Uint8Array,
    options?: ReadOptions,
  ) => DecodedText | undefined | Promise<DecodedText | undefined>;
}

const mebibyte = 1024 * 1024;

const text = {
  markup: 'plain',
  maxBytes: 16 * mebibyte,
  version: 0,
  beginsLike: (start: Uint8Array) => decodeText(start) !== undefined,
  read: decodeText,
} as const;

const fileTypes: readonly FileType[] = [
  { ...text, extensions: ['.txt', '.text'], mimeType: 'text/plain' },
  { ...text, extensions: ['.md', '.markdown', '.mdx'], mimeType: 'text/markdown', markup: 'markdown' },
  { ...text, extensions: ['.rst'], mimeType: 'text/x-rst' },
  { ...text, extensions: ['.adoc', '.asciidoc'], mimeType: 'text/x-asciidoc' },
  { ...text, extensions: ['.org'], mimeType: 'text/x-org' },
  {
    extensions: ['.pdf'],
    mimeType: 'text/plain',
    markup: 'plain',
    // Most of it are pictures.
    maxBytes: 64 * mebibyte,
    version: extractorVersion,
    beginsLike: beginsLikePdf,
    read: readPdf,
  },
];

const byExtension = new Map(
  fileTypes.flatMap((type) => type.extensions.map((extension) => [extension, type])),
);

/** The type of a file by its name, or `undefined` when such files are not indexed. */
export function fileTypeOf(name: string): FileType | undefined {
  return byExtension.get(extname(name).toLowerCase());
}
