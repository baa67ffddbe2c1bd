import { VectorStoreError } from '@kettle/vector-store';
import { serveIndex } from '@kettle/vector-store-thread';

serveIndex(async () => {
  try {
    const { hnswlibEngine } = await import('./hnswlib-graph.js');
    return hnswlibEngine;
  } catch (error) {
    throw new VectorStoreError(
      'unsupported',
      'The native addon of hnswlib-node is missing: run "pnpm rebuild hnswlib-node" (it needs a C++ compiler, ' +
        `make and Python), or choose another backend. (${error})`,
      { cause: error },
    );
  }
});
