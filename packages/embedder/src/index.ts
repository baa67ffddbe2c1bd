export type { Embedder, EmbedOptions } from './embedder.js';
export { EmbedderError, type EmbedderErrorCode, type EmbedderErrorDetails } from './errors.js';
export {
  type DownloadProgress,
  defaultModel,
  type LoadEmbedderOptions,
  type LogLevel,
  loadEmbedder,
} from './load-embedder.js';
