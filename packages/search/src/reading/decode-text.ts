export interface DecodedText {
  readonly text: string;
  /** Why the text may not be what its author meant; absent when it decoded cleanly. */
  readonly warning?: string;
}

/** Text files hold no NUL; most binary formats do within their first bytes. */
export const sniffedBytes = 8192;

/**
 * Decodes UTF-8, or UTF-16 where a byte order mark says so; the mark is dropped. Bytes that are wrong become
 * U+FFFD, with a warning. Gives `undefined` for binary content.
 */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const encoding = encodingOf(bytes);
  if (encoding === 'utf-8' && bytes.subarray(0, sniffedBytes).includes(0)) return undefined;
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    const text = new TextDecoder(encoding).decode(bytes);
    return { text, warning: `not valid ${encoding.toUpperCase()}: wrong bytes were replaced by U+FFFD` };
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
