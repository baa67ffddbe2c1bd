export { VectorStoreError, type VectorStoreErrorCode, type VectorStoreErrorOptions } from './errors.js';
export type { CallOptions, QueryOptions } from './options.js';
export type {
  Fingerprint,
  VectorHit,
  VectorRecord,
  VectorStore,
  VectorStoreCapabilities,
} from './vector-store.js';
