import { SearchError, type SearchErrorCode } from '@kettle/search';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../app.js';
import { CallerError } from './caller-error.js';
import type { Call } from './method.js';
import { RpcError } from './rpc-error.js';

/** A document name that can be repeated in a message: not a path out of the folder, not a wall of text. */
const repeatable = /^(?!\/|[A-Za-z]:)(?!(.*\/)?\.{1,2}(\/|$))[^\p{Cc}\\%]{1,200}$/u;

const callersFault = new Set<SearchErrorCode>([
  'invalid_query',
  'query_too_long',
  'invalid_argument',
  'document_not_found',
]);

/**
 * Says in a sentence or two what went wrong, for a model or a person at the other end: without paths, without a
 * stack, and with what to do about it. What it can't tell goes to the log.
 */
export function explain(error: unknown, { connection: { app }, signal }: Call, wanted?: string): string {
  if (signal.aborted) return 'The call was cancelled.';
  if (error instanceof CallerError) return error.message;
  if (!SearchError.isInstance(error)) {
    app.log('error', 'a call failed', { err: error });
    return 'Kettle failed to do this. Its log (on stderr) says why.';
  }
  switch (error.code) {
    case 'invalid_query':
      return 'The query is blank. Ask a question or name a subject.';
    case 'query_too_long':
      return 'The query is longer than the model reads. Ask in fewer words, or in several searches.';
    case 'document_not_found':
      return notFound(wanted, error.suggestions);
    case 'document_unreadable':
      return 'That document is there but can not be read as text: it is too large, not text, damaged, a scan, or protected.';
    case 'folder_unavailable':
      return 'The folder of documents can not be read at the moment. The person who runs Kettle can check it with `kettle doctor`.';
    case 'model_unavailable':
      return `The embedding model ${app.config.model} can not be loaded, so nothing can be searched. \`kettle doctor\` says why; documents can still be listed and read.`;
    case 'store_unavailable':
      return `The vector backend (${app.config.backend}) can not be reached or failed. Try again in a moment; \`kettle doctor\` says more. Documents can still be listed and read.`;
    case 'storage_full':
      return 'No space is left where the index lives, so it can not be brought up to date.';
    case 'index_foreign':
    case 'index_newer':
    case 'index_unavailable':
      void logOnce(app, error);
      return 'The index can not be used. `kettle doctor` says what is wrong and what to do.';
    case 'closed':
      return 'The server is ending. Start it again and repeat the call.';
    case 'invalid_argument':
      app.log('warn', error.message);
      return 'An argument is outside its range.';
  }
}

/** The index itself logs why it does not work. Calls that fail for that are no news, those that fail alone are. */
async function logOnce(app: App, { code, message }: SearchError): Promise<void> {
  const known = await app.index().then(
    (index) => index.status().lastError?.message === message,
    () => false,
  );
  app.log(known ? 'debug' : 'error', message, { code });
}

/** The same as a JSON-RPC error, for methods that have no other way to fail. */
export function asRpcError(error: unknown, call: Call, wanted?: string): RpcError {
  const code = isCallersFault(error) ? ErrorCode.InvalidParams : ErrorCode.InternalError;
  return new RpcError(code, explain(error, call, wanted));
}

function isCallersFault(error: unknown): boolean {
  return error instanceof CallerError || (SearchError.isInstance(error) && callersFault.has(error.code));
}

/** Says that a document is not there, and which ones have names like it. */
export function notFound(name: string | undefined, suggestions: readonly string[]): string {
  const subject =
    name !== undefined && repeatable.test(name)
      ? `No document is called ${name}.`
      : 'There is no such document.';
  if (suggestions.length === 0) return `${subject} Call list_documents to see the names.`;
  return `${subject} Did you mean ${orList(suggestions.slice(0, 3))}?`;
}

function orList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
