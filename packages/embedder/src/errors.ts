const marker: unique symbol = Symbol.for('kettle.embedder.error');

/** What went wrong, for programs. The message says it for people, with the value and the remedy. */
export type EmbedderErrorCode =
  /** The model isn't where it was looked for. */
  | 'model_not_found'
  /** The hub can't be reached, or failed while sending. */
  | 'hub_unreachable'
  /** Files are there but aren't a model that can be run here. */
  | 'model_invalid'
  /** A text has more tokens than the model reads. `details` has `index`, `tokens` and `limit`. */
  | 'text_too_long'
  /** A text is empty, or not a string. `details` has `index`. */
  | 'invalid_text'
  /** Inference failed. */
  | 'inference_failed'
  /** The thread that runs models ended, and this process can't start another: restart the process. */
  | 'thread_ended'
  /** The embedder was closed. */
  | 'closed';

/** Numbers of the message, for programs: which of the texts (from 0), its tokens, the most there may be. */
export interface EmbedderErrorDetails {
  readonly index?: number;
  readonly tokens?: number;
  readonly limit?: number;
}

export interface EmbedderErrorOptions extends ErrorOptions {
  readonly details?: EmbedderErrorDetails | undefined;
}

/** The one error class of embedders; `code` tells them apart. */
export class EmbedderError extends Error {
  override readonly name = 'EmbedderError';
  readonly code: EmbedderErrorCode;
  readonly details: EmbedderErrorDetails;

  constructor(code: EmbedderErrorCode, message: string, options: EmbedderErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = Object.freeze({ ...options.details });
    Object.defineProperty(this, marker, { value: true });
  }

  /** Holds across duplicate copies of this package, where `instanceof` does not. */
  static isInstance(value: unknown): value is EmbedderError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[marker] === true;
  }
}
