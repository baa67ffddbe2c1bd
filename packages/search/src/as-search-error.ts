import { EmbedderError } from '@kettle/embedder';
import { VectorStoreError } from '@kettle/vector-store';
import { isDamage } from './catalog/open-catalog.js';
import { SearchError, type SearchErrorCode } from './errors.js';

/** The rights or the place don't allow writing. SQLite's codes may be longer ones: SQLITE_READONLY_DIRECTORY. */
const notWritable = /^(EACCES|EROFS|EPERM|ENOTDIR|ENOENT|EEXIST|SQLITE_(READONLY|CANTOPEN)(_\w+)?)$/;

/** Puts what the parts throw into the terms of this package. An aborted call's reason goes through as it is. */
export function asSearchError(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted && error === signal.reason) return error;
  if (SearchError.isInstance(error)) return error;
  if (EmbedderError.isInstance(error)) return fromEmbedder(error);
  if (VectorStoreError.isInstance(error)) return fromStore(error);
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  const because = (searchCode: SearchErrorCode, text: string, retryable = true) =>
    new SearchError(searchCode, text, { cause: error, retryable });
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') {
    return because(
      'storage_full',
      'No space is left for the index. Free some; what was indexed before stays searchable.',
    );
  }
  if (isDamage(error))
    return because('index_unavailable', `The catalog is damaged (${message}); it is being rebuilt.`);
  if (String(code).startsWith('SQLITE_BUSY')) {
    return because('index_unavailable', 'Another process keeps the index busy. Try again in a moment.');
  }
  if (notWritable.test(String(code))) {
    // Node's messages begin with the code, SQLite's don't have it.
    const why = message?.startsWith(String(code)) ? message : `${code}: ${message}`;
    return because(
      'index_unavailable',
      `The index folder can't be written (${why}). Check its place and its rights.`,
    );
  }
  return because('index_unavailable', `The index failed: ${message ?? String(error)}`);
}

function fromEmbedder(error: EmbedderError): SearchError {
  if (error.code === 'closed') return new SearchError('closed', error.message, { cause: error });
  const retryable = error.code !== 'thread_ended';
  return new SearchError('model_unavailable', error.message, { cause: error, retryable });
}

function fromStore(error: VectorStoreError): SearchError {
  if (error.code === 'closed') return new SearchError('closed', error.message, { cause: error });
  if (error.code === 'storage_full') {
    return new SearchError('storage_full', error.message, { cause: error, retryable: true });
  }
  return new SearchError('store_unavailable', error.message, { cause: error, retryable: true });
}
