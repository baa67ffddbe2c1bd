export interface CallOptions {
  /** Ends the call early; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface QueryOptions extends CallOptions {
  /** Only these ids take part. An empty set gives no hits; unknown ids are passed over. */
  readonly within?: ReadonlySet<string> | undefined;
}
