import type { Embedder, EmbedOptions } from '@kettle/embedder';

export interface FakeEmbedderOptions {
  readonly maxTokens?: number;
  readonly fingerprint?: string;
  /** Milliseconds for each document. */
  readonly delay?: number;
}

/** Texts that share words are near each other: words are counted into the vector's places by their hash. */
export class FakeEmbedder implements Embedder {
  constructor(options?: FakeEmbedderOptions);
  readonly specificationVersion: 'v1';
  readonly model: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly maxTokens: number;
  /** Every text that went through the model. */
  readonly embedded: string[];
  closed: boolean;
  embedQuery(text: string, options?: EmbedOptions): Promise<Float32Array>;
  embedDocuments(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  countTokens(texts: readonly string[], options?: EmbedOptions): Promise<number[]>;
  close(): Promise<void>;
}

/** Roughly like word pieces: four letters or one other character each. */
export function tokens(text: string): number;
