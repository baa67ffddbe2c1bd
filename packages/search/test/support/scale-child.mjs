// Indexes a folder and tells how much memory it holds on to on the way, after collecting garbage: needs --expose-gc.
import { FakeEmbedder } from './fake-embedder.mjs';
import { openForTest } from './open-for-test.mjs';

const [documents, directory] = process.argv.slice(2);
const embedder = new FakeEmbedder();
const embed = embedder.embedDocuments.bind(embedder);
let embedded = 0;
embedder.embedDocuments = async (texts, options) => {
  const vectors = await embed(texts, options);
  // What the fake remembers is not the index's.
  embedded += embedder.embedded.splice(0).length;
  return vectors;
};

const index = await openForTest({
  documents,
  directory,
  backend: 'hnsw',
  loadEmbedder: async () => embedder,
});
const heap = [];
const every = 500;
await index.ready({
  onProgress: ({ phase, done }) => {
    if (phase !== 'embedding' || done < (heap.length + 1) * every) return;
    globalThis.gc();
    heap.push(process.memoryUsage().heapUsed);
  },
});
const { documents: count, passages } = index.status();
await index.close();
process.send({ documents: count, passages, embedded, heap });
