import { ChromaClient } from 'chromadb';
import { AnswerError } from './failures.js';

export type ServerLimits = NonNullable<ChromaClient['preflightChecks']>;

export interface CallClientOptions {
  /** Base URL, possibly with a path, without a slash at its end. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tenant: string | undefined;
  readonly database: string | undefined;
  /** What the server said about its limits, once it was asked. */
  readonly limits: ServerLimits | undefined;
  /** Ends the call, its connection included. */
  readonly signal: AbortSignal;
}

/** What `ChromaClient` keeps private: its base path and the function that fetches, and whose data it works on. */
interface Inner {
  readonly apiClient: {
    setConfig(config: { baseUrl: string; fetch: typeof fetch }): void;
    get(request: { url: string; path: { tenant: string; database: string } }): Promise<unknown>;
  };
  _path(): Promise<{ tenant: string; database: string }>;
}

/**
 * The official client for one call. It differs in three ways: the address may have a path; the call ends with a
 * signal; and a failure keeps its reason, where the official client has one message for all that can go wrong.
 */
export class CallClient extends ChromaClient {
  constructor({ url, headers, tenant, database, limits, signal }: CallClientOptions) {
    super({
      headers: { ...headers },
      ...(tenant !== undefined && { tenant }),
      ...(database !== undefined && { database }),
    });
    this.preflightChecks = limits;
    (this as unknown as Inner).apiClient.setConfig({
      baseUrl: url,
      fetch: (request, init) => fetchAnswer(request as Request, { ...init, signal }),
    });
  }

  /** Throws where the database isn't there. (Counting its collections gives 0 then.) */
  async findDatabase(): Promise<void> {
    const { apiClient } = this as unknown as Inner;
    const path = await (this as unknown as Inner)._path();
    await apiClient.get({ url: '/api/v2/tenants/{tenant}/databases/{database}', path });
  }
}

/** Fetches an answer of Chroma's, or throws an {@link AnswerError} for anything else that comes. */
async function fetchAnswer(request: Request, init: RequestInit): Promise<Response> {
  // A redirect would turn POST into GET, and could carry the key elsewhere.
  const response = await fetch(request, { ...init, redirect: 'manual' });
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (response.ok && isJson) return response;
  const text = await response.text();
  const said = isJson ? parse(text) : {};
  const location = response.headers.get('location');
  const message =
    said.message ??
    (location
      ? `it redirects to ${location}`
      : `not an answer of Chroma's: ${text.trim().slice(0, 100) || 'empty'}`);
  throw new AnswerError(response.status, said.error, message);
}

function parse(text: string): { error?: string; message?: string } {
  try {
    return JSON.parse(text) as { error?: string; message?: string };
  } catch {
    return {};
  }
}
