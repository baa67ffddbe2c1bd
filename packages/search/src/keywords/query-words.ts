import { ideographPairs, spacedIdeographs } from './spaced-ideographs.js';

/** What is looked for of a query; a longer one is a text, and only its first words count. */
const mostWords = 64;

const word = /[\p{L}\p{N}\p{M}]+/gu;
// It begins only where a word does: tried at each letter of a long run, the work would grow with the run's square.
const joined = /(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}\p{M}]+(?:[^\s\p{L}\p{N}\p{M}\p{C}"]+[\p{L}\p{N}\p{M}]+)+/gu;

export interface QueryWords {
  /** Runs of letters and digits in lower case, or single Chinese and Japanese letters; each once, in the query's order. */
  readonly words: readonly string[];
  /**
   * Parts in a row: words with other characters between them and no white space, such as the code E07-3; Chinese and
   * Japanese letters side by side.
   */
  readonly phrases: readonly string[];
}

/**
 * The words of a query. None holds a quotation mark, which would end a quoted FTS5 string, nor a control character:
 * SQLite reads as far as a NUL.
 */
export function queryWords(query: string): QueryWords {
  const text = query.normalize('NFC').toLowerCase();
  return {
    words: distinct(matches(spacedIdeographs(text), word)),
    phrases: distinct([...Array.from(matches(text, joined), spacedIdeographs), ...ideographPairs(text)]),
  };
}

function* matches(text: string, pattern: RegExp): Generator<string> {
  for (const [match] of text.matchAll(pattern)) yield match;
}

/** The first of them, each once. */
function distinct(found: Iterable<string>): string[] {
  const kept = new Set<string>();
  for (const each of found) {
    if (kept.size === mostWords) break;
    kept.add(each);
  }
  return [...kept];
}
