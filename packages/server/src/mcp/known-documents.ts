import { SearchError, type SearchIndex } from '@kettle/search';
import { CallerError } from './caller-error.js';
import { notFound } from './explain.js';

/**
 * The documents and folders that are meant, by the names they have: macOS writes an accent as a character of its own,
 * models and people don't. Rejects with a CallerError on the first name that is neither a document's nor that of a
 * folder that holds one: a misspelt name would look like a document that holds no answer.
 */
export async function knownDocuments(
  index: SearchIndex,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const names = (await index.listDocuments({ signal })).map(({ name }) => name);
  const known = new Set(names);
  const meant = new Set<string>();
  for (const name of wanted) {
    const found = known.has(name) ? [name] : namesLike(name, names);
    if (found.length === 0) throw new CallerError(notFound(name, await suggestionsFor(index, name, signal)));
    for (const one of found) meant.add(one);
  }
  return [...meant];
}

function namesLike(name: string, names: readonly string[]): string[] {
  const form = name.normalize();
  if (!form.endsWith('/')) return names.filter((other) => other.normalize() === form);
  const depth = form.split('/').length - 1;
  return names
    .filter((other) => other.normalize().startsWith(form))
    .map((other) => `${other.split('/').slice(0, depth).join('/')}/`);
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
