import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { type Embedder, loadEmbedder } from '@kettle/embedder';
import { modelsDirectory } from '@kettle/model-minilm';
import { ExactVectorStore, type VectorRecord, type VectorStore } from '@kettle/vector-store';
import { ChromaServer, ChromaVectorStore, type HnswSettings } from '@kettle/vector-store-chroma';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chroma } from './support/chroma-command.js';
import { tempDir } from './support/temp-dir.js';

const corpus = new URL('../../../corpus/', import.meta.url);
const questionCount = 200;
const topK = 10;

/** Long lists of numbers take three tokens a word; the model reads 254. */
const longestPassage = 80;

/** The cafe's papers, a passage for each paragraph or part of one. */
async function passages(): Promise<string[]> {
  const documents = new URL('documents/', corpus);
  const texts: string[] = [];
  for (const name of await readdir(documents)) {
    const text = await readFile(new URL(name, documents), 'utf8');
    for (const paragraph of text.split(/\n\s*\n/)) {
      const words = paragraph.split(/\s+/).filter((word) => word !== '');
      for (let start = 0; start < words.length; start += longestPassage) {
        texts.push(words.slice(start, start + longestPassage).join(' '));
      }
    }
  }
  return [...new Set(texts)];
}

async function questions(): Promise<string[]> {
  const lines = (await readFile(new URL('judgments/queries.jsonl', corpus), 'utf8')).trim().split('\n');
  return lines.slice(0, questionCount).map((line) => (JSON.parse(line) as { text: string }).text);
}

describe.skipIf(!chroma.available)("Chroma and the exact store, on the cafe's whole corpus", () => {
  let folder: Awaited<ReturnType<typeof tempDir>>;
  let server: ChromaServer;
  let embedder: Embedder;
  let records: VectorRecord[];
  let queries: Float32Array[];

  beforeAll(async () => {
    folder = await tempDir();
    [server, embedder] = await Promise.all([
      ChromaServer.start({ directory: folder.path, command: chroma.command }),
      loadEmbedder({ modelDirs: [modelsDirectory], allowDownload: false }),
    ]);
    const texts = await passages();
    const vectors = await embedder.embedDocuments(texts);
    records = texts.map((text, index) => ({
      id: createHash('sha256').update(text).digest('hex').slice(0, 32),
      vector: vectors[index]!,
    }));
    queries = [];
    for (const question of await questions()) queries.push(await embedder.embedQuery(question));
  }, 240_000);
  afterAll(async () => {
    await embedder?.close();
    await server?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  /** A collection built anew, searched with the settings given, or the defaults. */
  async function open(corpusId: string, hnsw?: Partial<HnswSettings>): Promise<VectorStore> {
    const { model, dimensions } = embedder;
    return ChromaVectorStore.open({
      server: await server.url({ signal: AbortSignal.timeout(10_000) }),
      fingerprint: { model, dimensions, metric: 'cosine' },
      corpusId,
      hnsw,
    });
  }

  /** For each question, whether both stores give the same ids, and the largest difference of their distances. */
  async function compare(corpusId: string, hnsw?: Partial<HnswSettings>) {
    const { model, dimensions } = embedder;
    const exact = new ExactVectorStore({ model, dimensions, metric: 'cosine' });
    const store = await open(corpusId, hnsw);
    await Promise.all([exact.upsert(records), store.upsert(records)]);
    let sameIds = 0;
    let difference = 0;
    for (const query of queries) {
      const [expected, hits] = await Promise.all([exact.query(query, topK), store.query(query, topK)]);
      if (hits.map(({ id }) => id).join() === expected.map(({ id }) => id).join()) sameIds++;
      const distances = new Map(expected.map(({ id, distance }) => [id, distance]));
      for (const { id, distance } of hits) {
        difference = Math.max(difference, Math.abs(distance - (distances.get(id) ?? distance)));
      }
    }
    await store.close();
    return { sameIds, difference };
  }

  // Chroma builds its graph differently each time, so once is no proof.
  test.each([1, 2, 3])(
    'give the same ids and distances for 200 questions at the defaults, build %i',
    async (build) => {
      expect(queries).toHaveLength(questionCount);
      const { sameIds, difference } = await compare(`default ${build}`);
      expect(sameIds).toBe(questionCount);
      expect(difference).toBeLessThan(1e-4);
    },
  );

  test('differ when the index may look at few candidates, so the setting is what matters', async () => {
    const { sameIds, difference } = await compare('few', { efSearch: 10 });
    expect(sameIds).toBeLessThan(questionCount);
    expect(difference).toBeLessThan(1e-4);
  });
});
