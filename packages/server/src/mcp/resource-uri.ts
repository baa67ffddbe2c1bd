const prefix = 'kettle://documents/';

/** The template of all documents' uris (RFC 6570). */
export const documentTemplate = `${prefix}{name}`;

/** The uri of a document: everything but unreserved characters is percent-encoded, slashes too. */
export function documentUri(name: string): string {
  // encodeURIComponent leaves five reserved characters as they are; RFC 6570 encodes them.
  const encoded = encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return prefix + encoded;
}

/** The document's name in a uri, or undefined where that is no uri of a document. */
export function documentName(uri: string): string | undefined {
  if (!uri.startsWith(prefix)) return undefined;
  try {
    return decodeURIComponent(uri.slice(prefix.length));
  } catch {
    return undefined;
  }
}
