import { loadEmbedder } from '@kettle/embedder';
import { modelsDirectory } from '@kettle/model-minilm';
import { openIndex, readCorpus, type SearchIndex } from '@kettle/search';
import { ExactVectorStore } from '@kettle/vector-store';
import { HnswVectorStore } from '@kettle/vector-store-hnsw';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workspace } from './support/workspace.js';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create();
  await workspace.write(
    'pets.txt',
    'The Kettle - Pets\n\nDogs are welcome on the ground floor if they are on a lead.',
  );
  await workspace.write(
    'hours.txt',
    'The Kettle - Hours\n\nWe open at eight in the morning and close at six.',
  );
  await workspace.write(
    'wifi.txt',
    'The Kettle - Wi-Fi\n\nThe password is on your receipt. Laptops until noon.',
  );
});
afterAll(async () => {
  await workspace.remove();
});

async function open(backend: 'hnsw' | 'exact'): Promise<SearchIndex> {
  const index = await openIndex({
    corpus: await readCorpus(workspace.documents),
    directory: workspace.index,
    model: 'Xenova/all-MiniLM-L6-v2',
    backend,
    loadEmbedder: (signal) => loadEmbedder({ modelDirs: [modelsDirectory], allowDownload: false, signal }),
    openStore: async ({ fingerprint, directory, signal }) =>
      backend === 'hnsw'
        ? HnswVectorStore.open({ fingerprint, directory, signal })
        : new ExactVectorStore(fingerprint),
    watch: false,
  });
  await index.ready();
  return index;
}

describe('with the real model', () => {
  it('answers by meaning; another backend and a second start embed nothing and answer the same', async () => {
    const answers: unknown[] = [];
    const embedded: number[] = [];
    for (const backend of ['hnsw', 'exact', 'hnsw'] as const) {
      const index = await open(backend);
      embedded.push(index.status().embedded);
      const hits = await index.search('may my labrador come in?', { topK: 3 });
      expect(hits[0]).toMatchObject({ document: 'pets.txt' });
      expect(hits[0]!.distance).toBeLessThan(0.7);
      answers.push(hits);
      await index.close();
    }
    expect(embedded).toEqual([3, 0, 0]);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });
});
