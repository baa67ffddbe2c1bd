// JavaScript, so that processes which are killed can load it without a build.
import { createHash } from 'node:crypto';
import { EmbedderError } from '@kettle/embedder';

export class FakeEmbedder {
  specificationVersion = 'v1';
  model = 'test/words';
  dimensions = 32;
  embedded = [];
  closed = false;
  #delay;

  constructor({ maxTokens = 100, fingerprint = 'test/words@1', delay = 0 } = {}) {
    this.maxTokens = maxTokens;
    this.fingerprint = fingerprint;
    this.#delay = delay;
  }

  async embedQuery(text) {
    this.#check(text);
    return wordVector(text, this.dimensions);
  }

  async embedDocuments(texts, { signal } = {}) {
    const vectors = [];
    for (const text of texts) {
      this.#check(text);
      if (this.#delay > 0) await new Promise((resolve) => setTimeout(resolve, this.#delay));
      signal?.throwIfAborted();
      this.embedded.push(text);
      vectors.push(wordVector(text, this.dimensions));
    }
    return vectors;
  }

  async countTokens(texts) {
    return texts.map(tokens);
  }

  async close() {
    this.closed = true;
  }

  #check(text) {
    if (this.closed) throw new EmbedderError('closed', 'The model is closed.');
    if (text === '') throw new EmbedderError('invalid_text', 'The text is empty.');
    if (tokens(text) > this.maxTokens) throw new EmbedderError('text_too_long', `${tokens(text)} tokens`);
  }
}

export function tokens(text) {
  return text.match(/[\p{L}\p{N}]{1,4}|[^\s]/gu)?.length ?? 0;
}

function wordVector(text, dimensions) {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const digest = createHash('sha1').update(word).digest();
    vector[digest[0] % dimensions] += 1;
    vector[digest[1] % dimensions] += digest[2] / 512;
  }
  vector[0] += 0.01;
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
