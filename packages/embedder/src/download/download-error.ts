/** Why a file couldn't be had, before it is known what that means for the model. */
export type DownloadFailure =
  /** The hub says there is no such file (404). */
  | 'absent'
  /** The hub wants a login, or has no such model: it answers both with 401 or 403. */
  | 'refused'
  /** No connection, a broken or stalled one, or an error of the hub's own. Trying again may help. */
  | 'unreachable'
  /** What came isn't what the hub announced, or no file of a model. */
  | 'wrong_content';

export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly failure: DownloadFailure;

  constructor(failure: DownloadFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** The innermost reason: `fetch` itself says no more than "fetch failed". */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  if (cause !== undefined) return reasonOf(cause);
  return error instanceof Error ? error.message : String(error);
}
