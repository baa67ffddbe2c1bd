import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Embedder, EmbedderError, type LoadEmbedderOptions, loadEmbedder } from '@kettle/embedder';
import { model as minilm, modelsDirectory } from '@kettle/model-minilm';
import { afterEach, beforeEach, expect } from 'vitest';
import { Hub } from './hub.js';

/** Folder of the model that the hub gives out. */
export const source = path.join(modelsDirectory, minilm.id);
/** Its name at the hub. */
export const model = 'somebody/some-model';
export const network = 'onnx/model_quantized.onnx';
/** Bytes of the network. */
export const size = 22_707_850;

/** For each test a hub of its own, and an empty folder to download to. */
class DownloadBed {
  hub!: Hub;
  endpoint!: string;
  cacheDir!: string;

  load(options: LoadEmbedderOptions = {}): Promise<Embedder> {
    const { cacheDir, endpoint } = this;
    return loadEmbedder({ model, cacheDir, endpoint, ...options });
  }

  /** Names of the model's files, relative to its folder. */
  async cachedFiles(): Promise<string[]> {
    const entries = await readdir(this.cacheDir, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(path.join(this.cacheDir, model), path.join(entry.parentPath, entry.name)))
      .sort();
  }
}

/** Sets up a bed for each test of a file. */
export function useDownloadBed(): DownloadBed {
  const bed = new DownloadBed();
  beforeEach(async () => {
    bed.hub = new Hub(source);
    bed.endpoint = await bed.hub.listen();
    bed.cacheDir = await mkdtemp(path.join(tmpdir(), 'kettle-embedder-'));
  });
  afterEach(async () => {
    await bed.hub.close();
    await rm(bed.cacheDir, { recursive: true, force: true });
  });
  return bed;
}

export async function failure(promise: Promise<unknown>): Promise<EmbedderError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(EmbedderError.isInstance(error), `expected an EmbedderError, got ${error}`).toBe(true);
  return error as EmbedderError;
}
