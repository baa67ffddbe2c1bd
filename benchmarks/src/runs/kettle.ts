import { type Embedder, loadEmbedder } from '@kettle/embedder';
import { modelsDirectory } from '@kettle/model-minilm';
import { openIndex, readCorpus, type SearchIndex, type SearchMode } from '@kettle/search';
import type { VectorStore } from '@kettle/vector-store';
import { defaultMode } from '../targets.js';
import { openStore, type StoreOptions } from './stores.js';
import type { Workspace } from './workspace.js';

/** The model of the benchmark: Kettle's default, from the copy that needs no network. */
export const model = 'Xenova/all-MiniLM-L6-v2';

export function openEmbedder(): Promise<Embedder> {
  return loadEmbedder({ model, modelDirs: [modelsDirectory] });
}

/** An index that was opened for measuring, with the parts that it was made of. */
export interface OpenedIndex {
  readonly index: SearchIndex;
  /** The store underneath, once the index is ready. */
  readonly store: () => VectorStore;
}

export interface IndexOptions {
  readonly workspace: Workspace;
  readonly indexDirectory: string;
  readonly backend: string;
  readonly embedder: Embedder;
  /** @default the product's own */
  readonly mode?: SearchMode;
  /** Instead of the workspace's documents. */
  readonly documents?: string;
  /** Follow changes of the folder. @default false */
  readonly watch?: boolean;
  /** Instead of the registry's store. */
  readonly store?: (context: StoreOptions) => Promise<VectorStore>;
}

/**
 * Opens an index over an embedder that stays open, so that loading the model is no part of what is timed, and
 * waits until it is level with the folder.
 */
export async function openLevelIndex(options: IndexOptions): Promise<OpenedIndex> {
  const { workspace, backend, embedder, store: open = openStore } = options;
  const corpus = await readCorpus(options.documents ?? workspace.documents, { name: workspace.corpusName });
  let store: VectorStore | undefined;
  const index = await openIndex({
    corpus,
    directory: options.indexDirectory,
    model,
    backend,
    mode: options.mode ?? defaultMode,
    watch: options.watch ?? false,
    // Its owner closes it, and may open another index over it.
    loadEmbedder: async () => wrapEmbedder(embedder, { close: async () => {} }),
    openStore: async (context) => {
      store = await open({ backend, ...context });
      return store;
    },
  });
  try {
    await index.ready();
  } catch (error) {
    await index.close();
    throw error;
  }
  return {
    index,
    store: () => {
      if (!store) throw new Error('the index opened no store');
      return store;
    },
  };
}

/** The same embedder, except for what `changes` does otherwise. */
export function wrapEmbedder(embedder: Embedder, changes: Partial<Embedder>): Embedder {
  return {
    specificationVersion: embedder.specificationVersion,
    model: embedder.model,
    fingerprint: embedder.fingerprint,
    dimensions: embedder.dimensions,
    maxTokens: embedder.maxTokens,
    embedQuery: (text, options) => embedder.embedQuery(text, options),
    embedDocuments: (texts, options) => embedder.embedDocuments(texts, options),
    countTokens: (texts, options) => embedder.countTokens(texts, options),
    close: () => embedder.close(),
    ...changes,
  };
}

/** The same embedder, and how many texts of documents it was given. */
export function countEmbedded(embedder: Embedder): { readonly counting: Embedder; embedded(): number } {
  let embedded = 0;
  const counting = wrapEmbedder(embedder, {
    embedDocuments: (texts, options) => {
      embedded += texts.length;
      return embedder.embedDocuments(texts, options);
    },
  });
  return { counting, embedded: () => embedded };
}
