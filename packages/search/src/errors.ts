const marker: unique symbol = Symbol.for('kettle.search.error');

/** What went wrong, for programs. The message says it for people, with the value and the remedy. */
export type SearchErrorCode =
  /** The query is blank. */
  | 'invalid_query'
  /** The query is longer than the model reads. */
  | 'query_too_long'
  /** `topK`, `maxDistance` or another argument is outside its range. */
  | 'invalid_argument'
  /** No document has that name; `suggestions` holds names like it. */
  | 'document_not_found'
  /** The document is there, but can't be read as text: too large, binary, or refused by the system. */
  | 'document_unreadable'
  /** The corpus folder is missing, unreadable or not mounted. The index stays as it was. */
  | 'folder_unavailable'
  /** The embedding model can't be loaded or failed while running. */
  | 'model_unavailable'
  /** The vector store can't be opened, reached, or failed while answering. */
  | 'store_unavailable'
  /** The index folder holds the index of another corpus that still exists. */
  | 'index_foreign'
  /** The catalog was written by a newer Kettle than this one. */
  | 'index_newer'
  /** The index can't be read or written for another reason, such as missing rights. */
  | 'index_unavailable'
  /** No space is left where the index lives. What was indexed before stays searchable. */
  | 'storage_full'
  /** The index was closed before or during the call. */
  | 'closed';

export interface SearchErrorOptions extends ErrorOptions {
  /** Names like the one that was asked for, best first. */
  readonly suggestions?: readonly string[];
  /** The same call may succeed later without any change. @default false */
  readonly retryable?: boolean;
}

/** The error class of searching and of the index; `code` tells them apart. */
export class SearchError extends Error {
  override readonly name = 'SearchError';
  readonly code: SearchErrorCode;
  /** Document names like the one that was asked for, best first; empty but for `document_not_found`. */
  readonly suggestions: readonly string[];
  /** The same call may succeed later without any change (an outage, a missing folder). @default false */
  readonly retryable: boolean;

  constructor(code: SearchErrorCode, message: string, options: SearchErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.suggestions = Object.freeze([...(options.suggestions ?? [])]);
    this.retryable = options.retryable ?? false;
    Object.defineProperty(this, marker, { value: true });
  }

  /** Holds across duplicate copies of this package, where `instanceof` does not. */
  static isInstance(value: unknown): value is SearchError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[marker] === true;
  }
}
