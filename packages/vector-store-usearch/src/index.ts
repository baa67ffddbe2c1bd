export type { GraphOptions as UsearchOptions } from '@kettle/vector-store-thread';
export { UsearchVectorStore } from './usearch-vector-store.js';
