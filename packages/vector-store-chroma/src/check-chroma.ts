import { type ChromaVectorStoreOptions, checkOptions } from './chroma-options.js';
import { Connection } from './connection.js';

/**
 * Finds out whether a server could hold a store: it answers, and the tenant and database are there and open to us.
 * It only reads: no collection is made.
 *
 * @throws {VectorStoreError} as `ChromaVectorStore.open` does.
 */
export async function checkChroma(options: ChromaVectorStoreOptions): Promise<void> {
  const connection = new Connection(checkOptions(options));
  try {
    await connection.handshake(options.signal);
    await connection.call(async (client) => {
      await client.findDatabase();
      await client.countCollections();
    }, options.signal);
  } finally {
    await connection.close();
  }
}
