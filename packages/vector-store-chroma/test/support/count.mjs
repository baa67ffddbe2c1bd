// Puts two records on the server at the address given, and prints how many there are.
import { ChromaVectorStore } from '@kettle/vector-store-chroma';

const fingerprint = { model: 'test', dimensions: 2, metric: 'cosine' };
const store = await ChromaVectorStore.open({ server: process.argv[2], fingerprint, corpusId: 'https' });
await store.upsert([
  { id: 'a', vector: Float32Array.of(1, 0) },
  { id: 'b', vector: Float32Array.of(0, 1) },
]);
process.stdout.write(`${await store.count()}\n`);
await store.close();
