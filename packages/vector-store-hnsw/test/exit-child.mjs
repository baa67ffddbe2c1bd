// Exits in the middle of an insert, some milliseconds after it began. Arguments: directory, milliseconds.
import { HnswVectorStore } from '@kettle/vector-store-hnsw';

const [directory, milliseconds] = process.argv.slice(2);
const fingerprint = { model: 'test-model', dimensions: 384, metric: 'cosine' };
const store = await HnswVectorStore.open({ directory, fingerprint });
const vector = (number) =>
  Float32Array.from({ length: fingerprint.dimensions }, (_, place) => Math.sin((number + 1) * (place + 1)));
store.upsert(Array.from({ length: 3000 }, (_, number) => ({ id: `r${number}`, vector: vector(number) })));
setTimeout(() => process.exit(0), Number(milliseconds));
