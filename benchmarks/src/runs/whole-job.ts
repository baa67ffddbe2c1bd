import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Embedder } from '@kettle/embedder';
import type { SearchIndex } from '@kettle/search';
import { writeGeneratedCorpus } from '../corpus/generated.js';
import { readJudgments } from '../corpus/judgments.js';
import type { Labels, Measurement } from '../results/results.js';
import { defaultMode, searchModeNames } from '../targets.js';
import { timedBuild } from './build.js';
import { bytesOfWords } from './catalog-parts.js';
import { topK } from './depths.js';
import { countEmbedded, openEmbedder, openLevelIndex, wrapEmbedder } from './kettle.js';
import { watchEventLoop } from './lag.js';
import { diskUsage, residentMemory, timed, watchMemory } from './resources.js';
import type { Tell } from './tell.js';
import { files, type Prepared, readJson, type Workspace } from './workspace.js';

export interface WholeInput {
  readonly workspace: Workspace;
  readonly backend: string;
  /** Passages of the generated folder. */
  readonly size: number;
  /** The generated folder. */
  readonly documents: string;
  readonly indexDirectory: string;
  /** Most questions to ask in each mode. */
  readonly questions: number;
  /** Gets the passages' texts as they were embedded, for the plain loop. */
  readonly textsFile?: string;
}

const warmUp = 10;
const edits = 5;
/** Milliseconds after which an edit counts as lost. */
const editDeadline = 60_000;

/** Writes the folder that the other jobs index. */
export async function generateDocuments(
  { workspace, size, documents }: Pick<WholeInput, 'workspace' | 'size' | 'documents'>,
  tell: Tell,
): Promise<Measurement[]> {
  tell(`writing ${size} passages`);
  const { texts } = await readJson<Prepared>(workspace, files.prepared);
  await writeGeneratedCorpus(documents, { texts, size, seed: workspace.seed });
  return [];
}

/** Indexes the folder from nothing with real embedding: where time, memory and disk go, and who has to wait. */
export async function buildWhole(input: WholeInput, tell: Tell): Promise<Measurement[]> {
  const { backend, textsFile } = input;
  tell('loading the model');
  const embedder = await openEmbedder();
  const texts = new Set<string>();
  let embedded = 0;
  const counting = wrapEmbedder(embedder, {
    async embedDocuments(batch, options) {
      if (textsFile !== undefined) for (const text of batch) texts.add(text);
      const vectors = await embedder.embedDocuments(batch, options);
      embedded += batch.length;
      tell(`${embedded} of ${input.size} passages embedded`);
      return vectors;
    },
  });
  try {
    const peak = watchMemory();
    const lags = watchEventLoop();
    const { index, split, total } = await timedBuild({ ...input, embedder: counting });
    const lag = lags();
    const labels = { backend, passages: index.status().passages };
    const { directory } = index.status();
    await index.close();
    const memory = await peak();
    if (textsFile !== undefined) await writeFile(textsFile, JSON.stringify([...texts]));
    return [
      { metric: 'whole_total', labels, runs: [[total]] },
      { metric: 'whole_reading', labels, runs: [[split.rest]] },
      { metric: 'whole_embedding', labels, runs: [[split.embedding]] },
      { metric: 'whole_storing', labels, runs: [[split.storing]] },
      { metric: 'whole_lag', labels, runs: [lag] },
      { metric: 'whole_peak_memory', labels, runs: [[memory]] },
      ...(directory === undefined ? [] : await diskParts(directory, backend, labels)),
    ];
  } finally {
    await embedder.close();
  }
}

/** What is kept of a passage, and how much room it takes. */
async function diskParts(directory: string, backend: string, labels: Labels): Promise<Measurement[]> {
  const words = bytesOfWords(join(directory, 'catalog.sqlite'));
  const store = await diskUsage(join(directory, backend));
  // All the rest, so that free pages, write-ahead log and lock are counted too.
  const catalog = (await diskUsage(directory)) - store - words;
  return [
    { metric: 'whole_disk_catalog', labels, runs: [[catalog]] },
    { metric: 'whole_disk_words', labels, runs: [[words]] },
    { metric: 'whole_disk_store', labels, runs: [[store]] },
  ];
}

/** Uses the index that {@link buildWhole} made, in a fresh process: restart, memory, queries, and an edited file. */
export async function measureWholeUse(input: WholeInput, tell: Tell): Promise<Measurement[]> {
  const { workspace, backend } = input;
  const { queries } = await readJudgments(workspace.queriesFile, workspace.qrelsFile);
  const asked = queries.slice(0, input.questions).map(({ text }) => text);
  const embedder = await openEmbedder();
  const { counting, embedded } = countEmbedded(embedder);
  const measured: Measurement[] = [];
  let labels: Labels = { backend };
  try {
    // Embedding takes memory of its own, the first times more than later.
    for (const text of asked) await embedder.embedQuery(text);
    const before = await residentMemory();
    // The default mode comes first: memory is that of one open index, not what three left behind.
    for (const mode of [defaultMode, ...searchModeNames.filter((name) => name !== defaultMode)]) {
      tell(`starting again, ${mode} mode`);
      const opened = await timed(() => openLevelIndex({ ...input, embedder: counting, mode }));
      const { index } = opened.value;
      try {
        const first = mode === defaultMode;
        if (first) {
          labels = { backend, passages: index.status().passages };
          measured.push(
            { metric: 'whole_restart', labels, runs: [[opened.milliseconds]] },
            { metric: 'whole_restart_embedded', labels, runs: [[embedded()]] },
          );
        }
        const times = await askAll(index, asked);
        measured.push({ metric: 'whole_query', labels: { ...labels, mode }, runs: [times] });
        if (first) {
          const memory = Math.max(0, (await residentMemory()) - before);
          measured.push({ metric: 'whole_memory', labels, runs: [[memory]] });
        }
      } finally {
        await index.close();
      }
    }
    measured.push({ metric: 'whole_edit', labels, runs: [await watchEdits(input, counting, tell)] });
    return measured;
  } finally {
    await embedder.close();
  }
}

async function askAll(index: SearchIndex, asked: readonly string[]): Promise<number[]> {
  for (const text of asked.slice(0, warmUp)) await index.search(text, { topK });
  const times: number[] = [];
  for (const text of asked) times.push((await timed(() => index.search(text, { topK }))).milliseconds);
  return times;
}

/** Last, as it changes the folder. */
async function watchEdits(input: WholeInput, embedder: Embedder, tell: Tell): Promise<number[]> {
  const { index } = await openLevelIndex({ ...input, embedder, watch: true });
  try {
    return await editFiles(index, input, tell);
  } finally {
    await index.close();
  }
}

/** Milliseconds from writing an edited file to the first search that finds what is new in it, for a few files. */
async function editFiles(index: SearchIndex, { documents }: WholeInput, tell: Tell): Promise<number[]> {
  const all = await index.listDocuments();
  const times: number[] = [];
  for (let edit = 0; edit < edits; edit++) {
    tell(`edited file ${edit + 1} of ${edits}`);
    const { name } = all[Math.floor((edit * all.length) / edits)]!;
    const file = join(documents, name);
    const sentence = `The zeppelin of line ${edit + 1} moors at quay ${edit + 11}.`;
    const text = `${await readFile(file, 'utf8')}\n## Added\n\n${sentence}\n`;
    const started = performance.now();
    await writeFile(file, text);
    while (!(await finds(index, sentence))) {
      if (performance.now() - started > editDeadline)
        throw new Error(`an edited file was not found again within ${editDeadline / 1000} s`);
      await wait(5);
    }
    times.push(performance.now() - started);
  }
  return times;
}

async function finds(index: SearchIndex, sentence: string): Promise<boolean> {
  const hits = await index.search(sentence, { topK: 5 });
  return hits.some(({ passage }) => passage.includes(sentence));
}
