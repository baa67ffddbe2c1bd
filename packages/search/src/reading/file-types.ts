import { extname } from 'node:path/posix';
import { type DecodedText, decodeText } from './decode-text.js';

/** How the passages of a type find their headings. */
export type Markup = 'plain' | 'markdown';

/** A kind of file that can be indexed. Another kind (PDF, say) is another row with a reader of its own. */
export interface FileType {
  readonly extensions: readonly string[];
  readonly mimeType: string;
  readonly markup: Markup;
  /** Bytes to text; gives `undefined` when the bytes are not of this type. */
  readonly read: (bytes: Uint8Array) => DecodedText | undefined;
}

const fileTypes: readonly FileType[] = [
  { extensions: ['.txt', '.text'], mimeType: 'text/plain', markup: 'plain', read: decodeText },
  {
    extensions: ['.md', '.markdown', '.mdx'],
    mimeType: 'text/markdown',
    markup: 'markdown',
    read: decodeText,
  },
  { extensions: ['.rst'], mimeType: 'text/x-rst', markup: 'plain', read: decodeText },
  { extensions: ['.adoc', '.asciidoc'], mimeType: 'text/x-asciidoc', markup: 'plain', read: decodeText },
  { extensions: ['.org'], mimeType: 'text/x-org', markup: 'plain', read: decodeText },
];

const byExtension = new Map(
  fileTypes.flatMap((type) => type.extensions.map((extension) => [extension, type])),
);

/** The type of a file by its name, or `undefined` when such files are not indexed. */
export function fileTypeOf(name: string): FileType | undefined {
  return byExtension.get(extname(name).toLowerCase());
}
