/** Where a Chroma server is. */
export interface ChromaEndpoint {
  /**
   * The base URL of the server, without a slash at its end.
   *
   * @param options.suspect The server failed to answer: where it is our own, see to it.
   */
  url(options: { signal: AbortSignal; suspect?: boolean }): Promise<string>;
  /** Lets go of the server. */
  close(): Promise<void>;
}
