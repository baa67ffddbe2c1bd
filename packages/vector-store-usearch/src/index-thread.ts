import { VectorStoreError } from '@kettle/vector-store';
import { serveIndex } from '@kettle/vector-store-thread';

serveIndex(async () => {
  try {
    const { usearchEngine } = await import('./usearch-graph.js');
    return usearchEngine;
  } catch (error) {
    throw new VectorStoreError(
      'unsupported',
      `The native addon of usearch can't be loaded here: choose another backend. (${error})`,
      { cause: error },
    );
  }
});
