/** What is looked for of a query; a longer one is a text, and only its first words count. */
const mostWords = 64;

const word = /[\p{L}\p{N}\p{M}]+/gu;
// It begins only where a word does: tried at each letter of a long run, the work would grow with the run's square.
const joined = /(?<![\p{L}\p{N}\p{M}])[\p{L}\p{N}\p{M}]+(?:[^\s\p{L}\p{N}\p{M}\p{C}"]+[\p{L}\p{N}\p{M}]+)+/gu;

export interface QueryWords {
  /** Runs of letters and digits in lower case, each once, in the order of the query. */
  readonly words: readonly string[];
  /** Words with other characters between them and no white space, such as the code E07-3: parts in a row. */
  readonly phrases: readonly string[];
}

/**
 * The words of a query. None holds a quotation mark, which would end a quoted FTS5 string, nor a control character:
 * SQLite reads as far as a NUL.
 */
export function queryWords(query: string): QueryWords {
  const text = query.normalize('NFC').toLowerCase();
  return {
    words: distinct(text, word),
    phrases: distinct(text, joined),
  };
}

function distinct(text: string, pattern: RegExp): string[] {
  const found = new Set<string>();
  for (const [match] of text.matchAll(pattern)) {
    if (found.size === mostWords) break;
    found.add(match);
  }
  return [...found];
}
