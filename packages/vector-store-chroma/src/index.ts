export { checkChroma } from './check-chroma.js';
export type { ChromaVectorStoreOptions, Log } from './chroma-options.js';
export { ChromaVectorStore } from './chroma-vector-store.js';
export { collectionName } from './collection-name.js';
export type { ChromaEndpoint } from './endpoint.js';
export { defaultHnswSettings, type HnswSettings } from './hnsw-settings.js';
export { type OpenChromaOptions, openChroma } from './open-chroma.js';
export { ChromaServer, type ChromaServerOptions } from './server/chroma-server.js';
