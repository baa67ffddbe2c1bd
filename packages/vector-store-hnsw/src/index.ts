export type { HnswOptions, HnswParameters } from './hnsw-options.js';
export { HnswVectorStore } from './hnsw-vector-store.js';
