import { availableParallelism } from 'node:os';
import { downloadModel } from './download/download-model.js';
import type { Embedder } from './embedder.js';
import { EmbedderError } from './errors.js';
import { LocalEmbedder } from './local-embedder.js';
import { fingerprintOf } from './model/fingerprint.js';
import { findModel, type ModelLocation } from './model/model-location.js';
import { profileOf } from './model/profile-files.js';
import { DocumentPool } from './pool/document-pool.js';
import { modelThread } from './thread/model-thread.js';

/** How far the download of one file has come. */
export interface DownloadProgress {
  /** Path of the file in the model's folder. */
  readonly file: string;
  /** Bytes that are here, those of an earlier attempt included. */
  readonly loaded: number;
  /** Bytes of the whole file, or undefined when the hub doesn't say. */
  readonly total: number | undefined;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LoadEmbedderOptions {
  /**
   * Id of a text embedding model on the hub.
   * @default 'Xenova/all-MiniLM-L6-v2'
   */
  readonly model?: string | undefined;
  /**
   * Folders in hub layout, `<folder>/<org>/<name>/{config.json,tokenizer.json,…,onnx/model_quantized.onnx}`,
   * searched in order.
   * @default []
   */
  readonly modelDirs?: readonly string[] | undefined;
  /** Folder, in hub layout, for downloaded models. It is searched after `modelDirs`. Without it nothing is downloaded. */
  readonly cacheDir?: string | undefined;
  /**
   * Base URL of the hub or of a mirror.
   * @default 'https://huggingface.co'
   */
  readonly endpoint?: string | undefined;
  /**
   * Whether a model that isn't on disk may be fetched from the hub.
   * @default true
   */
  readonly allowDownload?: boolean | undefined;
  /**
   * Milliseconds without a byte after which a connection to the hub is given up.
   * @default 30_000
   */
  readonly stallTimeout?: number | undefined;
  /**
   * Processes that embed documents side by side when there are many, each with a copy of the model, on one thread.
   * They are started when they are needed and end when they aren't. With 1 there are none: the model's thread
   * does it all.
   * @default the number of cores, 4 at most
   */
  readonly processes?: number | undefined;
  /** Called for each piece of a file that arrives. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  readonly log?: ((level: LogLevel, message: string, data?: Record<string, unknown>) => void) | undefined;
  /** Ends loading early; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export const defaultModel = 'Xenova/all-MiniLM-L6-v2';
const defaultEndpoint = 'https://huggingface.co';
const defaultStallTimeout = 30_000;
const mostDefaultProcesses = 4;

/**
 * Loads a model from disk, or from the hub when it isn't there. Several may be loaded at once: they share one
 * thread, the only one of the process that may import `onnxruntime-node`.
 *
 * Rejects with an {@link EmbedderError}: `model_not_found`, `hub_unreachable` or `model_invalid`. The message
 * says which model, where it was looked for, and what to set.
 */
export async function loadEmbedder(options: LoadEmbedderOptions = {}): Promise<Embedder> {
  const { model = defaultModel, processes = defaultProcesses(), log = () => {}, signal } = options;
  signal?.throwIfAborted();
  const location = await locate(model, options);
  const profile = await profileOf(model, location.directory);
  const files = { model, ...location, profile };
  const thread = modelThread();
  const handle = thread.nextHandle();
  try {
    const [facts, fingerprint] = await Promise.all([
      thread.load(handle, files, signal),
      fingerprintOf(model, location, profile),
    ]);
    const pool = new DocumentPool({ processes, files, thread, handle, log });
    return new LocalEmbedder({ model, fingerprint }, facts, { thread, handle, pool });
  } catch (error) {
    thread.unload(handle, error);
    throw error;
  }
}

function defaultProcesses(): number {
  return Math.min(availableParallelism(), mostDefaultProcesses);
}

async function locate(model: string, options: LoadEmbedderOptions): Promise<ModelLocation> {
  const { modelDirs = [], cacheDir, endpoint = defaultEndpoint, allowDownload = true } = options;
  const { onProgress = () => {}, stallTimeout = defaultStallTimeout, signal } = options;
  checkId(model);
  const looked: string[] = [];
  for (const folder of cacheDir === undefined ? modelDirs : [...modelDirs, cacheDir]) {
    const finding = await findModel(folder, model);
    if ('found' in finding) return finding.found;
    looked.push(`${finding.directory} (no ${finding.missing.join(', no ')})`);
  }
  if (!allowDownload || cacheDir === undefined) throw notFound(model, looked, allowDownload);

  options.log?.('info', `downloading model ${model} from ${endpoint}`, { model, endpoint, cacheDir });
  await downloadModel({ model, cacheDir, endpoint, onProgress, stallTimeout, signal });
  const finding = await findModel(cacheDir, model);
  if ('found' in finding) return finding.found;
  throw notFound(model, [`${finding.directory} (no ${finding.missing.join(', no ')})`], allowDownload);
}

/** The id becomes a path and a URL, so it must not lead elsewhere. */
function checkId(model: string): void {
  if (/^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(model)) return;
  throw new EmbedderError(
    'model_not_found',
    `EMBEDDING_MODEL ${JSON.stringify(model)} isn't a model id; it looks like ${defaultModel}`,
  );
}

function notFound(model: string, looked: readonly string[], allowDownload: boolean): EmbedderError {
  const why = allowDownload ? 'there is no folder to download it to' : 'downloads are off';
  return new EmbedderError(
    'model_not_found',
    `model ${model} isn't on disk, and ${why}. Looked in ${looked.join(', ') || 'no folder'}. ` +
      `Set EMBEDDING_MODEL_DIR to a folder that holds ${model} in hub layout, or allow downloads; ` +
      'HF_ENDPOINT names the hub or a mirror',
  );
}
