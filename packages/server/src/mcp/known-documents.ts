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
  const byForm = new Map<string, string[]>();
  for (const name of names) {
    const form = name.normalize();
    byForm.set(form, [...(byForm.get(form) ?? []), name]);
  }
  const known = new Set(names);
  const meant = new Set<string>();
  for (const name of new Set(wanted)) {
    const found = known.has(name) ? [name] : namesLike(name, byForm);
    if (found.length === 0) throw new CallerError(notFound(name, await suggestionsFor(index, name, signal)));
    for (const one of found) meant.add(one);
  }
  return [...meant];
}

/** The documents of this name in whatever form they have it, or the folders where it names one. */
function namesLike(name: string, byForm: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const form = name.normalize();
  if (!form.endsWith('/')) return byForm.get(form) ?? [];
  const depth = form.split('/').length - 1;
  return [...byForm]
    .filter(([other]) => other.startsWith(form))
    .flatMap(([, same]) => same.map((other) => `${other.split('/').slice(0, depth).join('/')}/`));
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
