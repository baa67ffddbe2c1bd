import { readFile } from 'node:fs/promises';
import { modelsDirectory } from '@kettle/model-minilm';
import type { Measurement } from '../results/results.js';
import { model } from './kettle.js';
import { timed } from './resources.js';
import type { Tell } from './tell.js';
import { files, type Prepared, readJson, type Workspace } from './workspace.js';

export interface LoopInput {
  readonly workspace: Workspace;
  /** Instead of the corpus's passages. */
  readonly textsFile?: string;
  /** Decides which of the batches are timed: on average they cost the same. */
  readonly repetition: number;
}

const batchSize = 32;
/** A repetition goes through every fourth batch. */
const parts = 4;
/** Fewer passages than this are too few batches for a part of them to stand for the rest. */
const fewest = 4 * parts * batchSize;

/**
 * The floor for indexing: the loop that anybody would write first, batches of 32 through the feature-extraction
 * pipeline of transformers.js, on the very passages that Kettle makes of the corpus, with the same model files.
 * Only embedding is timed: no reading, splitting or storing. The model is loaded and warm. A repetition goes through
 * every fourth batch, the next one through others, and counts for all passages; few passages are gone through whole.
 */
export async function measureLoop(
  { workspace, textsFile, repetition }: LoopInput,
  tell: Tell,
): Promise<Measurement[]> {
  const texts: readonly string[] =
    textsFile === undefined
      ? (await readJson<Prepared>(workspace, files.prepared)).texts
      : JSON.parse(await readFile(textsFile, 'utf8'));
  const { env, pipeline } = await import('@xenova/transformers');
  env.localModelPath = modelsDirectory;
  env.allowRemoteModels = false;
  tell('loading the model into the pipeline');
  const extract = await pipeline('feature-extraction', model, { quantized: true });
  const embed = (batch: string[]) => extract(batch, { pooling: 'mean', normalize: true });
  await embed(texts.slice(0, 1) as string[]);
  const every = texts.length >= fewest ? parts : 1;
  // Two apart, so that two repetitions lie evenly.
  const first = ((2 * repetition) % every) * batchSize;
  const step = every * batchSize;
  let done = 0;
  const { milliseconds } = await timed(async () => {
    for (let from = first; from < texts.length; from += step) {
      tell(`${from} of ${texts.length} passages`);
      const batch = texts.slice(from, from + batchSize);
      await embed(batch as string[]);
      done += batch.length;
    }
  });
  const whole = (milliseconds * texts.length) / done;
  return [{ metric: 'indexing_loop', labels: { passages: texts.length }, runs: [[whole]] }];
}
