import { SearchError, type SearchIndex } from '@kettle/search';
import { CallerError } from './caller-error.js';
import { notFound } from './explain.js';

/**
 * Checks that each name is a document's, or a folder's that holds one. Without this a misspelt name would look like
 * a document that holds no answer. Rejects with a CallerError on the first that is neither.
 */
export async function checkKnown(
  index: SearchIndex,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const names = (await index.listDocuments({ signal })).map(({ name }) => name);
  const known = new Set(names);
  for (const name of wanted) {
    if (known.has(name) || (name.endsWith('/') && names.some((other) => other.startsWith(name)))) continue;
    throw new CallerError(notFound(name, await suggestionsFor(index, name, signal)));
  }
}

async function suggestionsFor(
  index: SearchIndex,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    await index.getDocument(name, { signal });
  } catch (error) {
    if (SearchError.isInstance(error)) return error.suggestions;
  }
  return [];
}
