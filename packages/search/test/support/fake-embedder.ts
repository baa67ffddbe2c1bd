import { createHash } from 'node:crypto';
import { type Embedder, EmbedderError } from '@kettle/embedder';

export interface FakeEmbedderOptions {
  readonly maxTokens?: number;
  readonly fingerprint?: string;
  /** Milliseconds for each document. */
  readonly delay?: number;
}

/** Texts that share words are near each other: words are counted into the vector's places by their hash. */
export class FakeEmbedder implements Embedder {
  readonly specificationVersion = 'v1';
  readonly model = 'test/words';
  readonly fingerprint: string;
  readonly dimensions = 32;
  readonly maxTokens: number;
  /** Every text that went through the model. */
  readonly embedded: string[] = [];
  readonly #delay: number;
  closed = false;

  constructor({ maxTokens = 100, fingerprint = 'test/words@1', delay = 0 }: FakeEmbedderOptions = {}) {
    this.maxTokens = maxTokens;
    this.fingerprint = fingerprint;
    this.#delay = delay;
  }

  async embedQuery(text: string): Promise<Float32Array> {
    this.#check(text);
    return wordVector(text, this.dimensions);
  }

  async embedDocuments(
    texts: readonly string[],
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (const text of texts) {
      this.#check(text);
      if (this.#delay > 0) await new Promise((resolve) => setTimeout(resolve, this.#delay));
      signal?.throwIfAborted();
      this.embedded.push(text);
      vectors.push(wordVector(text, this.dimensions));
    }
    return vectors;
  }

  async countTokens(texts: readonly string[]): Promise<number[]> {
    return texts.map(tokens);
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  #check(text: string): void {
    if (this.closed) throw new EmbedderError('closed', 'closed');
    if (text === '') throw new EmbedderError('invalid_text', 'empty');
    if (tokens(text) > this.maxTokens) throw new EmbedderError('text_too_long', `${tokens(text)} tokens`);
  }
}

/** Roughly like word pieces: four letters or one other character each. */
export function tokens(text: string): number {
  return text.match(/[\p{L}\p{N}]{1,4}|[^\s]/gu)?.length ?? 0;
}

export function wordVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const digest = createHash('sha1').update(word).digest();
    vector[digest[0]! % dimensions]! += 1;
    vector[digest[1]! % dimensions]! += digest[2]! / 512;
  }
  vector[0]! += 0.01;
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
