export type { Graph, GraphEngine, Neighbours } from './graph.js';
export type { GraphOptions, GraphParameters, IndexSettings } from './graph-options.js';
export { serveIndex } from './serve-index.js';
export { type OpenedIndex, openIndex, ThreadedVectorStore } from './threaded-vector-store.js';
