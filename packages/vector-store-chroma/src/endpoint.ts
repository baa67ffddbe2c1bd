/** How a server fails: it doesn't answer, or answers time and again that it can't. */
export type Trouble = 'silent' | 'failing';

/** Where a Chroma server is. */
export interface ChromaEndpoint {
  /**
   * The base URL of the server, without a slash at its end.
   *
   * @param options.trouble How the server failed the call before: where it is our own, it is seen to.
   */
  url(options: { signal: AbortSignal; trouble?: Trouble | undefined }): Promise<string>;
  /** Lets go of the server. */
  close(): Promise<void>;
}
