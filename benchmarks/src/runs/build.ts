import type { Embedder } from '@kettle/embedder';
import type { SearchIndex } from '@kettle/search';
import type { VectorStore } from '@kettle/vector-store';
import { ActivityClock, type Split } from './activity.js';
import { openLevelIndex, wrapEmbedder } from './kettle.js';
import { openStore, type StoreOptions } from './stores.js';
import type { Workspace } from './workspace.js';

export interface BuildOptions {
  readonly workspace: Workspace;
  readonly backend: string;
  readonly indexDirectory: string;
  readonly embedder: Embedder;
  /** Instead of the workspace's documents. */
  readonly documents?: string;
}

export interface Built {
  readonly index: SearchIndex;
  /** What the time went to, in milliseconds; the parts add up to `total`. */
  readonly split: Split;
  readonly total: number;
}

/** Builds an index in an empty folder. The embedder's model is loaded before, whatever it starts besides is not. */
export async function timedBuild({ embedder, ...options }: BuildOptions): Promise<Built> {
  const clock = new ActivityClock();
  const watched = wrapEmbedder(embedder, {
    embedDocuments: (texts, call) => clock.during('embedding', () => embedder.embedDocuments(texts, call)),
  });
  const store = async (context: StoreOptions) =>
    watchStore(await clock.during('storing', () => openStore(context)), clock);
  const { index } = await openLevelIndex({ ...options, embedder: watched, store });
  const split = clock.split();
  return { index, split, total: split.embedding + split.storing + split.rest };
}

/** The same store, with the time of its writes on the clock. */
function watchStore(store: VectorStore, clock: ActivityClock): VectorStore {
  return {
    specificationVersion: store.specificationVersion,
    backend: store.backend,
    fingerprint: store.fingerprint,
    capabilities: store.capabilities,
    upsert: (records, options) => clock.during('storing', () => store.upsert(records, options)),
    persist: (options) => clock.during('storing', () => store.persist(options)),
    delete: (ids, options) => store.delete(ids, options),
    query: (vector, topK, options) => store.query(vector, topK, options),
    count: (options) => store.count(options),
    ids: (options) => store.ids(options),
    clear: (options) => store.clear(options),
    close: () => store.close(),
  };
}
