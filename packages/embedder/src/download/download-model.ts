import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbedderError } from '../errors.js';
import { exists, networkFiles, optionalFiles, requiredFiles } from '../model/model-location.js';
import { DownloadError, type DownloadFailure, reasonOf } from './download-error.js';
import { downloadFile } from './download-file.js';

export interface DownloadModelOptions {
  readonly model: string;
  /** Folder in hub layout that the model goes into. */
  readonly cacheDir: string;
  /** Base URL of the hub. */
  readonly endpoint: string;
  readonly onProgress: (progress: { file: string; loaded: number; total: number | undefined }) => void;
  /** Milliseconds without a byte after which a connection is given up. */
  readonly stallTimeout: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Fetches what a folder lacks of a model: `<endpoint>/<model>/resolve/main/<file>` to `<cacheDir>/<model>/<file>`.
 * The network comes last, so that a folder that has it has the optional files too, as far as the hub has them.
 */
export async function downloadModel(options: DownloadModelOptions): Promise<void> {
  for (const file of requiredFiles) await fetchFile(options, file);
  for (const file of optionalFiles) await fetchFile(options, file, { optional: true });
  const [quantized, full] = networkFiles;
  if (!(await fetchFile(options, quantized, { optional: true }))) await fetchFile(options, full);
}

/** Gives false when the file is optional and the hub doesn't have it. */
async function fetchFile(
  options: DownloadModelOptions,
  file: string,
  { optional = false } = {},
): Promise<boolean> {
  const { model, cacheDir, endpoint, stallTimeout, signal } = options;
  const target = path.resolve(cacheDir, model, file);
  if (await exists(target)) return true;
  const url = `${endpoint.replace(/\/+$/, '')}/${model}/resolve/main/${file}`;
  try {
    await downloadFile({
      url,
      target,
      check: (downloaded) => checkFormat(url, file, downloaded),
      onProgress: (loaded, total) => options.onProgress({ file, loaded, total }),
      stallTimeout,
      signal,
    });
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    if (optional && error instanceof DownloadError && error.failure === 'absent') return false;
    throw modelError(options, error);
  }
}

/** Catches what proxies and login pages send in place of a file, before it can lie in the cache for good. */
async function checkFormat(url: string, file: string, downloaded: string): Promise<void> {
  if (file.endsWith('.json')) {
    try {
      JSON.parse(await readFile(downloaded, 'utf8'));
    } catch (cause) {
      throw new DownloadError('wrong_content', `${url} sent something that isn't JSON`, { cause });
    }
    return;
  }
  const handle = await open(downloaded);
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(64) });
    const start = buffer.toString('latin1', 0, bytesRead).trimStart();
    // An ONNX file starts with a small binary number. Text means a web page, or a Git LFS pointer.
    if (bytesRead === 0 || start.startsWith('<') || start.startsWith('version https://git-lfs')) {
      throw new DownloadError('wrong_content', `${url} sent a page of text where an ONNX model should be`);
    }
  } finally {
    await handle.close();
  }
}

const codes = {
  absent: 'model_not_found',
  refused: 'model_not_found',
  unreachable: 'hub_unreachable',
  wrong_content: 'model_invalid',
} as const satisfies Record<DownloadFailure, string>;

const remedies: Record<DownloadFailure, string> = {
  absent:
    'Check EMBEDDING_MODEL: the model must have an ONNX version, as those of the organisation Xenova do',
  refused: 'Check EMBEDDING_MODEL: the hub has no such model, or keeps it for those who log in',
  unreachable: 'Check the network, or set HF_ENDPOINT to a mirror that can be reached',
  wrong_content: 'Check HF_ENDPOINT, and whether a proxy stands between',
};

function modelError({ model, endpoint, cacheDir }: DownloadModelOptions, error: unknown): EmbedderError {
  if (!(error instanceof DownloadError)) {
    return new EmbedderError(
      'model_not_found',
      `model ${model} can't be stored in ${cacheDir}: ${reasonOf(error)}`,
      {
        cause: error,
      },
    );
  }
  return new EmbedderError(
    codes[error.failure],
    `model ${model} can't be downloaded from ${endpoint}: ${error.message}. ${remedies[error.failure]}, ` +
      `or set EMBEDDING_MODEL_DIR to a folder that holds ${model}`,
    { cause: error },
  );
}
