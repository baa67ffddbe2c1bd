// Opens an index with the fake model on a named store: for the tests themselves and for the processes they kill.
import { openIndex, readCorpus } from '@kettle/search';
import { ExactVectorStore } from '@kettle/vector-store';
import { FakeEmbedder } from './fake-embedder.mjs';

const adapters = {
  exact: async () => ({
    open: async ({ fingerprint }) => new ExactVectorStore(fingerprint),
  }),
  hnsw: async () => {
    const { HnswVectorStore } = await import('@kettle/vector-store-hnsw');
    return {
      open: ({ fingerprint, directory, signal }) => HnswVectorStore.open({ fingerprint, directory, signal }),
    };
  },
  usearch: async () => {
    const { UsearchVectorStore } = await import('@kettle/vector-store-usearch');
    return {
      open: ({ fingerprint, directory, signal }) =>
        UsearchVectorStore.open({ fingerprint, directory, signal }),
    };
  },
  chroma: async () => {
    const { ChromaVectorStore } = await import('@kettle/vector-store-chroma');
    return {
      open: ({ fingerprint, corpusId, signal }, server) =>
        ChromaVectorStore.open({ fingerprint, corpusId, server, signal }),
    };
  },
};

/** Loads the code of a store, so that opening it takes no time for that. */
export function loadStore(backend) {
  return adapters[backend]();
}

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
      const store = await (await loadStore(backend)).open(context, chromaUrl);
      return around === undefined ? store : around(store);
    },
    watch: false,
    ...options,
  });
}
