import type { Embedder, EmbedOptions } from './embedder.js';
import { EmbedderError } from './errors.js';
import type { DocumentPool } from './pool/document-pool.js';
import type { ModelFacts } from './serving/messages.js';
import type { ModelClient } from './serving/model-client.js';

/** What identifies a model to those who use it. */
export interface EmbedderIdentity {
  readonly model: string;
  readonly fingerprint: string;
}

/** Where a model is loaded: in the model's thread under `handle`, and in the processes of a pool. */
export interface LoadedIn {
  readonly thread: ModelClient;
  readonly handle: number;
  readonly pool: DocumentPool;
}

/** An {@link Embedder} on this machine. */
export class LocalEmbedder implements Embedder {
  readonly specificationVersion = 'v1';
  readonly model: string;
  readonly fingerprint: string;
  readonly dimensions: number;
  readonly maxTokens: number;
  readonly #thread: ModelClient;
  readonly #handle: number;
  readonly #pool: DocumentPool;
  #closed = false;

  constructor(identity: EmbedderIdentity, facts: ModelFacts, { thread, handle, pool }: LoadedIn) {
    this.#thread = thread;
    this.#handle = handle;
    this.#pool = pool;
    this.model = identity.model;
    this.fingerprint = identity.fingerprint;
    this.dimensions = facts.dimensions;
    this.maxTokens = facts.maxTokens;
  }

  async embedQuery(text: string, options: EmbedOptions = {}): Promise<Float32Array> {
    this.#check([text]);
    const [vector] = await this.#thread.embed(this.#handle, 'query', [text], options);
    return vector!;
  }

  async embedDocuments(texts: readonly string[], options: EmbedOptions = {}): Promise<Float32Array[]> {
    this.#check(texts);
    if (texts.length === 0) return [];
    return this.#pool.embed(texts, options.signal);
  }

  async countTokens(texts: readonly string[], options: EmbedOptions = {}): Promise<number[]> {
    this.#check(texts);
    if (texts.length === 0) return [];
    return this.#thread.count(this.#handle, texts, options.signal);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const closed = this.#closedError();
    this.#pool.close(closed);
    this.#thread.unload(this.#handle, closed);
  }

  #check(texts: readonly unknown[]): void {
    if (this.#closed) throw this.#closedError();
    for (const [index, text] of texts.entries()) {
      if (typeof text === 'string' && text !== '') continue;
      const found = text === '' ? 'empty' : `of type ${typeof text}`;
      throw new EmbedderError('invalid_text', `text ${index} is ${found}; give a string that isn't empty`, {
        details: { index },
      });
    }
  }

  #closedError(): EmbedderError {
    return new EmbedderError('closed', `the embedder of ${this.model} was closed`);
  }
}
