export type {
  GraphOptions as HnswOptions,
  GraphParameters as HnswParameters,
} from '@kettle/vector-store-thread';
export { HnswVectorStore } from './hnsw-vector-store.js';
