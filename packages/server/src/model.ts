import type { DownloadProgress, Embedder } from '@kettle/embedder';
import type { IndexProgress } from '@kettle/search';
import type { Config } from './config/config.js';
import type { Log } from './log.js';

/** Least time between two log lines on a download, in milliseconds. */
const interval = 2000;

export interface LoadModelOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told how far a download is. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** Loads the embedding model of the configuration: the user's own folder first, then ours, then the download cache. */
export async function loadModel(config: Config, options: LoadModelOptions): Promise<Embedder> {
  const [{ loadEmbedder }, { modelsDirectory }] = await Promise.all([
    import('@kettle/embedder'),
    import('@kettle/model-minilm'),
  ]);
  const { log, signal } = options;
  return loadEmbedder({
    model: config.model,
    modelDirs: [...(config.modelDirectory === undefined ? [] : [config.modelDirectory]), modelsDirectory],
    cacheDir: config.modelCache,
    endpoint: config.hubEndpoint,
    onProgress: tellDownload(config.model, options),
    log,
    signal,
  });
}

/** To whoever waits, and now and then to the log. */
function tellDownload(
  model: string,
  { log, onProgress }: LoadModelOptions,
): (progress: DownloadProgress) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return ({ file, loaded, total }) => {
    const share = total ? ` of ${megabytes(total)} (${Math.floor((100 * loaded) / total)} %)` : '';
    const message = `Downloading ${model}: ${file}, ${megabytes(loaded)}${share}`;
    onProgress?.({ phase: 'loading', done: loaded, total: total ?? loaded, message });
    const now = performance.now();
    if (now - loggedAt < interval && loaded !== total) return;
    loggedAt = now;
    log('info', message);
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
