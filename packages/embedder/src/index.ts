export type { Embedder, EmbedOptions } from './embedder.js';
export { EmbedderError, type EmbedderErrorCode } from './errors.js';
