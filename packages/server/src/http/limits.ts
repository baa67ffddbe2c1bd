/** Bounds on what clients can make the HTTP server do. Generous for people and agents, finite for floods. */
export interface HttpLimits {
  /** Largest request body, in bytes. */
  readonly bodyBytes: number;
  /** Requests a second that one client may keep up: a session, or an address as long as it has none. */
  readonly requestsPerSecond: number;
  /** Requests that one client may send at once before that pace binds it. */
  readonly requestBurst: number;
  /** Requests of one session that wait for their reply at once. */
  readonly requestsInFlight: number;
  /**
   * Sessions at once. A new one takes the place of an idle one of the address that has the most; unused ones first, then
   * the longest idle. Where none is idle, the new one is refused.
   */
  readonly sessions: number;
  /** A session without an open stream and without a request for so long is ended, in milliseconds. */
  readonly sessionIdleMs: number;
  /** Events kept for a client that comes back after its stream broke: per session, number and size in characters. */
  readonly storedEvents: number;
  readonly storedCharacters: number;
  /** The same of all sessions together, in characters. */
  readonly storedCharactersInAll: number;
  /** Pause between comment lines that keep an event stream alive, in milliseconds. */
  readonly keepAliveMs: number;
  /** A connection on which nothing moves for so long is cut, in milliseconds: the other end is gone or never reads. */
  readonly stalledMs: number;
  /** A client must have sent its headers, and its whole request, within so many milliseconds. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Connections at once; more are refused. */
  readonly connections: number;
  /** How long requests in flight may take to finish when the server ends, in milliseconds. */
  readonly graceMs: number;
}

export const defaultLimits: HttpLimits = Object.freeze({
  bodyBytes: 4 * 1024 * 1024,
  requestsPerSecond: 100,
  requestBurst: 400,
  requestsInFlight: 100,
  sessions: 1000,
  sessionIdleMs: 30 * 60_000,
  storedEvents: 64,
  storedCharacters: 4 * 1024 * 1024,
  storedCharactersInAll: 32 * 1024 * 1024,
  keepAliveMs: 15_000,
  stalledMs: 60_000,
  headersMs: 10_000,
  requestMs: 30_000,
  connections: 2000,
  graceMs: 10_000,
});
