export interface EmbedOptions {
  /** Ends the call early; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Turns text into unit-length vectors. The same text always gives the same vector, alone or among others.
 * Methods reject with an {@link EmbedderError}; `text_too_long` means that nothing was cut and nothing embedded.
 */
export interface Embedder {
  readonly specificationVersion: 'v1';
  /** The model's id, such as `Xenova/all-MiniLM-L6-v2`. */
  readonly model: string;
  /** Changes whenever the vectors would: model id, weights, pooling, prefixes. Stable across machines and runs. */
  readonly fingerprint: string;
  /** Length of every vector. */
  readonly dimensions: number;
  /** Longest text in tokens (word pieces), not counting the model's special tokens and the profile's prefix. */
  readonly maxTokens: number;

  /** The vector of a question. Goes ahead of waiting documents. */
  embedQuery(text: string, options?: EmbedOptions): Promise<Float32Array>;

  /** One vector for each text, in order. */
  embedDocuments(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;

  /** Tokens in each text, to be held against `maxTokens`. Texts of any length are taken. */
  countTokens(texts: readonly string[], options?: EmbedOptions): Promise<number[]>;

  /** Ends the model's thread. Calls under way reject with `closed`. Closing twice is harmless. */
  close(): Promise<void>;
}
