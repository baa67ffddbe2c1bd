import type { ContentTable } from './catalog/content-table.js';

/** Vectors kept, all forgotten together: 1.5 KB each with 384 dimensions. */
const mostRemembered = 4000;

/** Reads vectors by content, and remembers them: a content is the hash of a text, so its vector never changes. */
export class RememberedVectors {
  readonly #contents: ContentTable;
  readonly #remembered = new Map<string, Float32Array>();

  constructor(contents: ContentTable) {
    this.#contents = contents;
  }

  /** Those that are not there are left out. */
  get(contents: readonly string[]): Map<string, Float32Array> {
    const missing = contents.filter((content) => !this.#remembered.has(content));
    if (this.#remembered.size + missing.length > mostRemembered) {
      this.#remembered.clear();
      return this.#contents.vectors(contents);
    }
    if (missing.length > 0) {
      for (const [content, vector] of this.#contents.vectors(missing)) this.#remembered.set(content, vector);
    }
    const found = new Map<string, Float32Array>();
    for (const content of contents) {
      const vector = this.#remembered.get(content);
      if (vector) found.set(content, vector);
    }
    return found;
  }
}
