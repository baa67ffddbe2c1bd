import type { DownloadProgress, Embedder } from '@kettle/embedder';
import type { Config } from './config/config.js';
import type { Log } from './log.js';

/** Least time between two log lines on a download, in milliseconds. */
const interval = 2000;

/** Loads the embedding model of the configuration: the user's own folder first, then ours, then the download cache. */
export async function loadModel(config: Config, log: Log, signal: AbortSignal): Promise<Embedder> {
  const [{ loadEmbedder }, { modelsDirectory }] = await Promise.all([
    import('@kettle/embedder'),
    import('@kettle/model-minilm'),
  ]);
  return loadEmbedder({
    model: config.model,
    modelDirs: [...(config.modelDirectory === undefined ? [] : [config.modelDirectory]), modelsDirectory],
    cacheDir: config.modelCache,
    endpoint: config.hubEndpoint,
    onProgress: logDownload(config.model, log),
    log,
    signal,
  });
}

function logDownload(model: string, log: Log): (progress: DownloadProgress) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return ({ file, loaded, total }) => {
    const now = performance.now();
    if (now - loggedAt < interval && loaded !== total) return;
    loggedAt = now;
    const share = total ? ` of ${megabytes(total)} (${Math.floor((100 * loaded) / total)} %)` : '';
    log('info', `downloading ${model}: ${file}, ${megabytes(loaded)}${share}`);
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
