import type { SearchIndex } from '@kettle/search';
import type { VectorStore } from '@kettle/vector-store';
import { nearest } from '../corpus/geometry.js';
import type { Judgments, Query } from '../corpus/judgments.js';
import { neighbourRecall } from '../metrics/neighbours.js';
import { documentRanking } from '../metrics/ranking.js';
import type { Labels, Measurement } from '../results/results.js';
import { bestHitsOf, qualityOf } from './quality.js';
import { files, type Prepared, readJson, readVectors, type Workspace } from './workspace.js';

const neighbours = 10;

/** Passages asked for when quality is judged: enough for ten different documents. */
const judgedPassages = 50;

/** Questions under way at once. Nothing is timed here. */
const atOnce = 8;

/** How well the index answers all questions, by the judgments. */
export async function judge(
  index: SearchIndex,
  judgments: Judgments,
  labels: Labels,
): Promise<Measurement[]> {
  const answers = await inGroups(judgments.queries, async ({ id, text }: Query) => {
    const hits = await index.search(text, { topK: judgedPassages });
    // Nothing found is as far from an answer as can be.
    return { id, ranking: documentRanking(hits), top: hits[0]?.distance ?? 2 };
  });
  const rankings = new Map(answers.map(({ id, ranking }) => [id, ranking]));
  const top = new Map(answers.map(({ id, top }) => [id, top]));
  return [...qualityOf(judgments, rankings, labels), ...bestHitsOf('top_distance', judgments, top, labels)];
}

/** How many of the ten passages that are nearest the store finds, for each question. */
export async function recallOnCorpus(
  workspace: Workspace,
  store: VectorStore,
  queries: ReadonlyMap<string, Float32Array>,
  labels: Labels,
): Promise<Measurement> {
  const { fingerprint } = await readJson<Prepared>(workspace, files.prepared);
  const passages = await readVectors(workspace, files.passages, fingerprint.dimensions);
  const recalls = await inGroups([...queries.values()], async (vector) => {
    const truth = nearest(passages, vector, neighbours);
    const found = await store.query(vector, neighbours);
    return neighbourRecall(
      found.map(({ distance }) => distance),
      truth.map(({ distance }) => distance),
    );
  });
  return { metric: 'neighbour_recall', labels, runs: [recalls] };
}

async function inGroups<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(each))));
  return results;
}
