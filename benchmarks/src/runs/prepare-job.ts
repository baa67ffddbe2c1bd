import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedder } from '@kettle/embedder';
import { ExactVectorStore } from '@kettle/vector-store';
import { readJudgments } from '../corpus/judgments.js';
import { openEmbedder, openLevelIndex, wrapEmbedder } from './kettle.js';
import type { Tell } from './tell.js';
import { files, type Prepared, type Workspace, writeJson, writeVectors } from './workspace.js';

/**
 * Indexes the corpus once and keeps what went through the model: texts and vectors, for all the measurements
 * that need vectors and no model. Nothing is timed here.
 */
export async function prepareCorpus(workspace: Workspace, tell: Tell): Promise<Prepared> {
  tell('loading the model');
  const embedder = await openEmbedder();
  const indexDirectory = await mkdtemp(join(workspace.directory, 'prepare-'));
  const { recording, recorded } = record(embedder, (count) => tell(`${count} passages embedded`));
  const { index, store } = await openLevelIndex({
    workspace,
    indexDirectory,
    backend: 'recorded',
    embedder: recording,
    store: async ({ fingerprint }) => new ExactVectorStore(fingerprint),
  });
  try {
    const documents = await index.listDocuments();
    const texts = [...recorded.keys()];
    if (texts.length === 0) throw new Error('the corpus has no passage that could be searched');
    let characters = 0;
    for (const { name } of documents) characters += (await index.getDocument(name)).text.length;
    const prepared: Prepared = {
      fingerprint: store().fingerprint,
      texts,
      documents: documents.map(({ name }) => name),
      characters,
    };
    const { queries } = await readJudgments(workspace.queriesFile, workspace.qrelsFile);
    tell(`embedding ${queries.length} questions`);
    const asked: Float32Array[] = [];
    for (const { text } of queries) asked.push(await embedder.embedQuery(text));
    await writeJson(workspace, files.prepared, prepared);
    await writeVectors(workspace, files.passages, join32([...recorded.values()], embedder.dimensions));
    await writeVectors(workspace, files.queries, join32(asked, embedder.dimensions));
    return prepared;
  } finally {
    await index.close();
    await embedder.close();
    await rm(indexDirectory, { recursive: true, force: true });
  }
}

/** The same embedder, which also keeps what it was asked and what it gave. */
function record(embedder: Embedder, onCount: (count: number) => void) {
  const recorded = new Map<string, Float32Array>();
  const recording = wrapEmbedder(embedder, {
    async embedDocuments(texts, options) {
      const vectors = await embedder.embedDocuments(texts, options);
      texts.forEach((text, index) => {
        recorded.set(text, vectors[index]!);
      });
      onCount(recorded.size);
      return vectors;
    },
  });
  return { recording, recorded };
}

function join32(list: readonly Float32Array[], dimensions: number) {
  const data = new Float32Array(list.length * dimensions);
  list.forEach((vector, index) => {
    data.set(vector, index * dimensions);
  });
  return { dimensions, data };
}
