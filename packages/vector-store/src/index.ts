export { VectorStoreError, type VectorStoreErrorCode, type VectorStoreErrorOptions } from './errors.js';
export { ExactVectorStore } from './exact-vector-store.js';
export { assertSameFingerprint, checkFingerprint, type Fingerprint } from './fingerprint.js';
export { compareHits, NearestHits } from './nearest-hits.js';
export type { CallOptions, QueryOptions } from './options.js';
export { checkRecords, checkTopK, checkVector } from './validate.js';
export type { VectorHit, VectorRecord, VectorStore, VectorStoreCapabilities } from './vector-store.js';
export { normaliseInto, unitDistance } from './vectors.js';
