const marker: unique symbol = Symbol.for('kettle.vector-store.error');

/** What went wrong, for programs. The message says it for people, with the value and the remedy. */
export type VectorStoreErrorCode =
  /** A vector's length differs from the store's dimensions. */
  | 'dimension_mismatch'
  /** A vector holds NaN, an infinite number, or only zeros. */
  | 'invalid_vector'
  /** An id, a `topK` or another argument is outside its range. */
  | 'invalid_argument'
  /** The stored data was made for another model, dimension, metric or corpus. */
  | 'fingerprint_mismatch'
  /** The stored data is damaged and has to be rebuilt. */
  | 'corrupt'
  /** The store's data vanished behind its back (a server that came back empty): fill it again. */
  | 'data_lost'
  /** The backend can't be reached, or failed while answering. */
  | 'unavailable'
  /** The backend did not answer within its deadline. */
  | 'timeout'
  /** The backend refuses the credentials. */
  | 'unauthorized'
  /** The backend is there but can't serve: wrong version, missing binary, missing addon. */
  | 'unsupported'
  /** No space left, or a quota is used up. */
  | 'storage_full'
  /** The store was closed before the call. */
  | 'closed';

export interface VectorStoreErrorOptions extends ErrorOptions {
  /** The same call may succeed later without any change. */
  readonly retryable?: boolean;
}

/** The one error class of vector stores; `code` tells them apart. */
export class VectorStoreError extends Error {
  override readonly name = 'VectorStoreError';
  readonly code: VectorStoreErrorCode;
  /** The same call may succeed later without any change (an outage, a time-out). @default false */
  readonly retryable: boolean;

  constructor(code: VectorStoreErrorCode, message: string, options: VectorStoreErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.retryable = options.retryable ?? false;
    Object.defineProperty(this, marker, { value: true });
  }

  /** Holds across duplicate copies of this package, where `instanceof` does not. */
  static isInstance(value: unknown): value is VectorStoreError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[marker] === true;
  }
}
