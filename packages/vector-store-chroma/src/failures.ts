import { VectorStoreError } from '@kettle/vector-store';

/** An answer of the server that is no success. Internal: callers get a {@link VectorStoreError}. */
export class AnswerError extends Error {
  readonly status: number;
  /** Chroma's own name for what went wrong; undefined when the answer isn't one of Chroma's. */
  readonly kind: string | undefined;

  constructor(status: number, kind: string | undefined, message: string) {
    super(message);
    this.status = status;
    this.kind = kind;
  }

  /** The collection is not there. A 404 that Chroma didn't write comes from a wrong address. */
  get isMissing(): boolean {
    return this.status === 404 && this.kind === 'NotFoundError';
  }
}

/** Whether a server's words mean that its disk is full. SQLite says "database or disk is full" (code 13). */
export function isStorageFull(text: string): boolean {
  return /disk is full|no space left|SQLITE_FULL|\(code: 13\)|ENOSPC|quota exceeded|file too large|EFBIG/i.test(
    text,
  );
}

/** The failure of a private server that did not come so far as to answer, by what was said about it. */
export function toStartError(what: string, error: unknown): VectorStoreError {
  const said = error instanceof Error ? error.message : String(error).trim();
  const message = `${what}: ${said || 'it said nothing'}`;
  return isStorageFull(said)
    ? new VectorStoreError('storage_full', `${message}. Free some space.`, { cause: error })
    : new VectorStoreError('unavailable', `${message}.`, { cause: error });
}

const certificateCodes =
  /^(CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/**
 * Turns what a call to the server threw into the error that callers of a store get.
 *
 * @param where The server, for the message: its URL without credentials.
 */
export function toStoreError(error: unknown, where: string): VectorStoreError {
  if (VectorStoreError.isInstance(error)) return error;
  if (error instanceof AnswerError) return fromAnswer(error, where);
  const { code, message } = rootCause(error);
  if (code && certificateCodes.test(code)) {
    return new VectorStoreError(
      'unavailable',
      `The certificate of ${where} is not trusted (${message}): give Node its authority with NODE_EXTRA_CA_CERTS.`,
      { cause: error },
    );
  }
  // Fetch's words for the ports of other services, from a list in its standard.
  const why = message === 'bad port' ? 'HTTP clients refuse this port, use another one' : message;
  return new VectorStoreError(
    'unavailable',
    `The Chroma server at ${where} can't be reached: ${why}. Is it running? Check CHROMA_URL; \`kettle doctor\` tells.`,
    { retryable: true, cause: error },
  );
}

function fromAnswer(error: AnswerError, where: string): VectorStoreError {
  const { status } = error;
  const said = `${where} answered ${status}: ${error.message}`;
  const make = (code: VectorStoreError['code'], remedy: string, retryable = false) =>
    new VectorStoreError(code, `${said}. ${remedy}`, { retryable, cause: error });
  if (status === 401 || status === 403) {
    return make('unauthorized', 'Check CHROMA_API_KEY, CHROMA_TENANT and CHROMA_DATABASE.');
  }
  if (/quota|billing limit/i.test(error.message) || status === 507 || isStorageFull(error.message)) {
    return make('storage_full', "Free some of the server's space, or raise its limit.");
  }
  if (status === 429 || status === 409) return make('unavailable', 'Try again later.', true);
  if (status >= 500) return make('unavailable', "See the server's log.", true);
  if (/dimension/i.test(error.message)) {
    return make('fingerprint_mismatch', 'The collection was made for another model.');
  }
  if (error.isMissing || /(tenant|database) .*does not exist/i.test(error.message)) {
    return make('invalid_argument', 'Check CHROMA_TENANT and CHROMA_DATABASE.');
  }
  return make('unsupported', 'Kettle needs a Chroma server of version 1 or newer; check CHROMA_URL.');
}

/** The innermost error that says something: fetch wraps the reason, and a host with two addresses two of them. */
function rootCause(error: unknown): { code: string | undefined; message: string } {
  let current = error as { cause?: unknown; errors?: unknown[]; code?: string; message?: string };
  for (let depth = 0; depth < 5; depth++) {
    const inner = current?.cause ?? current?.errors?.[0];
    if (typeof inner !== 'object' || inner === null) break;
    current = inner;
  }
  return { code: current?.code, message: current?.message || current?.code || String(error) };
}
