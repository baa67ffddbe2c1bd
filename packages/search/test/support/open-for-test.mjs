// Opens an index with the fake model on a named store: for the tests themselves and for the processes they kill.
import { openIndex, readCorpus } from '@kettle/search';
import { ExactVectorStore } from '@kettle/vector-store';
import { FakeEmbedder } from './fake-embedder.mjs';

const stores = {
  exact: async ({ fingerprint }) => new ExactVectorStore(fingerprint),
  hnsw: async ({ fingerprint, directory, signal }) => {
    const { HnswVectorStore } = await import('@kettle/vector-store-hnsw');
    return HnswVectorStore.open({ fingerprint, directory, signal });
  },
  chroma: async ({ fingerprint, corpusId, signal }, server) => {
    const { ChromaVectorStore } = await import('@kettle/vector-store-chroma');
    return ChromaVectorStore.open({ fingerprint, corpusId, server, signal });
  },
};

export async function openForTest({
  documents,
  directory,
  backend = 'exact',
  delay = 0,
  around,
  chromaUrl,
  ...options
}) {
  return openIndex({
    corpus: await readCorpus(documents),
    directory,
    model: 'test/words',
    backend,
    loadEmbedder: async () => new FakeEmbedder({ delay }),
    openStore: async (context) => {
      const store = await stores[backend](context, chromaUrl);
      return around === undefined ? store : around(store);
    },
    watch: false,
    ...options,
  });
}
