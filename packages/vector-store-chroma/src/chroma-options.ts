import { checkFingerprint, type Fingerprint, VectorStoreError } from '@kettle/vector-store';
import { collectionName } from './collection-name.js';
import type { ConnectionOptions } from './connection.js';
import type { ChromaEndpoint } from './endpoint.js';
import { checkHnswSettings, type HnswSettings } from './hnsw-settings.js';

/** Takes messages for people; never called with credentials. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  data?: Record<string, unknown>,
) => void;

export interface ChromaVectorStoreOptions {
  /** A server's base URL (http or https, with or without a path), or a server of our own. */
  readonly server: string | ChromaEndpoint;
  readonly fingerprint: Fingerprint;
  /** Tells the corpus from every other one on the server. */
  readonly corpusId: string;
  /** Name of the collection, 3 to 512 characters from [a-zA-Z0-9._-]. @default made of corpus and fingerprint */
  readonly collection?: string | undefined;
  /** Sent as `x-chroma-token`. */
  readonly apiKey?: string | undefined;
  /** @default the key's own, or `default_tenant` without a key */
  readonly tenant?: string | undefined;
  /** @default the one that the key opens, or `default_database` without a key */
  readonly database?: string | undefined;
  /** Milliseconds for one request to the server, its retries included. @default 10_000 */
  readonly deadline?: number | undefined;
  readonly hnsw?: Partial<HnswSettings> | undefined;
  readonly log?: Log | undefined;
  /** Ends `open` early. */
  readonly signal?: AbortSignal | undefined;
}

export interface CheckedOptions extends ConnectionOptions {
  readonly fingerprint: Fingerprint;
  readonly corpusId: string;
  readonly collection: string;
  readonly hnsw: HnswSettings;
  readonly log: Log;
}

const longestDeadline = 2 ** 31 - 1;

/** @throws {VectorStoreError} `invalid_argument`, naming the option, its value and what is allowed. */
export function checkOptions(options: ChromaVectorStoreOptions): CheckedOptions {
  const fingerprint = checkFingerprint(options.fingerprint);
  const { corpusId, deadline = 10_000, collection = collectionName(corpusId, fingerprint) } = options;
  if (typeof corpusId !== 'string' || corpusId === '') {
    throw invalid('corpusId is empty: give a name that no other corpus on the server has.');
  }
  if (!Number.isInteger(deadline) || deadline < 1 || deadline > longestDeadline) {
    throw invalid(`deadline is ${deadline}: give whole milliseconds from 1 to ${longestDeadline}.`);
  }
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]$/.test(collection)) {
    throw invalid(
      `collection is ${JSON.stringify(collection)}: use 3 to 512 characters from a-z A-Z 0-9 . _ -, ` +
        'with a letter or digit at both ends.',
    );
  }
  return Object.freeze({
    fingerprint,
    corpusId,
    collection,
    deadline,
    endpoint: typeof options.server === 'string' ? outsideServer(options.server) : options.server,
    apiKey: options.apiKey,
    tenant: options.tenant,
    database: options.database,
    hnsw: checkHnswSettings(options.hnsw),
    log: options.log ?? (() => {}),
  });
}

/** A server that someone else runs. */
function outsideServer(address: string): ChromaEndpoint {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw invalid(
      `server is ${JSON.stringify(address)}: give an http or https address, without query or fragment.`,
    );
  }
  // Not shown: the message may end in a log.
  if (url.username || url.password) {
    throw invalid(
      'The server address holds a user name or password: give the key as apiKey (CHROMA_API_KEY).',
    );
  }
  const base = url.href.replace(/\/+$/, '');
  return { url: async () => base, close: async () => {} };
}

function invalid(message: string): VectorStoreError {
  return new VectorStoreError('invalid_argument', message);
}
