import { setTimeout as pause } from 'node:timers/promises';
import { hashFile } from '../model/fingerprint.js';
import { DownloadError, reasonOf } from './download-error.js';
import { firstByte, getFile, type RemoteFile } from './hub-response.js';
import { PartialFile } from './partial-file.js';

export interface DownloadFileOptions {
  readonly url: string;
  /** Where the file goes. It appears there whole or not at all. */
  readonly target: string;
  /** Bytes here so far, and in all where the hub says. */
  readonly onProgress: (loaded: number, total: number | undefined) => void;
  /** Looks at the finished file and throws when it can't be what was asked for. */
  readonly check: (file: string) => Promise<void>;
  /** Milliseconds without a byte after which a connection is given up. */
  readonly stallTimeout: number;
  readonly signal: AbortSignal | undefined;
}

/** Attempts in a row that may get no further than those before. */
const mostFailures = 3;
const pauseBetweenAttempts = 250;

/**
 * Downloads a file. What is interrupted is taken up again where it broke off, in the same call or a later one,
 * when the server still has the same version (ETag) and sends ranges; else from the start. Rejects with a
 * {@link DownloadError}, or with the signal's reason.
 */
export async function downloadFile(options: DownloadFileOptions): Promise<void> {
  let failures = 0;
  let furthest = 0;
  for (;;) {
    const progress = { bytes: 0 };
    try {
      return await attempt(options, progress);
    } catch (error) {
      options.signal?.throwIfAborted();
      // When nobody answers at all, that won't change within a second.
      const broke = error instanceof DownloadError && error.failure === 'unreachable' && progress.bytes > 0;
      if (!broke) throw error;
      failures = progress.bytes > furthest ? 1 : failures + 1;
      if (failures >= mostFailures) throw error;
      furthest = Math.max(furthest, progress.bytes);
      await pause(pauseBetweenAttempts * failures, undefined, { signal: options.signal });
    }
  }
}

async function attempt(options: DownloadFileOptions, progress: { bytes: number }): Promise<void> {
  const stall = new StallWatch(options);
  try {
    let partial = await PartialFile.take(options.target, 2 * options.stallTimeout);
    let remote: RemoteFile;
    try {
      remote = await request(options, partial, stall.signal);
    } catch (error) {
      await partial?.leave();
      throw error;
    }
    if (partial && !continues(remote, partial)) {
      await partial.discard();
      partial = undefined;
      // A partial answer that doesn't fit: ask again for the whole.
      if (remote.response.status !== 200) {
        await remote.response.body?.cancel();
        remote = await request(options, undefined, stall.signal);
      }
    }
    partial ??= await PartialFile.create(options.target, remote.etag);
    await receive(options, remote, partial, stall, progress);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof DownloadError || isFileError(error)) throw error;
    throw new DownloadError('unreachable', stall.stalled ?? reasonOf(error), { cause: error });
  } finally {
    stall.end();
  }
}

async function request(
  { url }: DownloadFileOptions,
  partial: PartialFile | undefined,
  signal: AbortSignal,
): Promise<RemoteFile> {
  const headers = partial ? { range: `bytes=${partial.size}-`, 'if-range': partial.etag } : {};
  const remote = await getFile(url, headers as Record<string, string>, signal);
  const { status } = remote.response;
  // 416: more bytes are here than the file has.
  if (status === 200 || (partial && (status === 206 || status === 416))) return remote;
  await remote.response.body?.cancel();
  if (status === 404) throw new DownloadError('absent', `${url} answered 404`);
  if (status === 401 || status === 403) throw new DownloadError('refused', `${url} answered ${status}`);
  throw new DownloadError('unreachable', `${url} answered ${status}`);
}

function continues({ response, etag }: RemoteFile, partial: PartialFile): boolean {
  return response.status === 206 && etag === partial.etag && firstByte(response) === partial.size;
}

async function receive(
  options: DownloadFileOptions,
  remote: RemoteFile,
  partial: PartialFile,
  stall: StallWatch,
  progress: { bytes: number },
): Promise<void> {
  let whole = false;
  try {
    const file = await partial.append();
    try {
      for await (const chunk of remote.response.body ?? []) {
        await file.write(chunk);
        stall.alive();
        partial.size += chunk.length;
        progress.bytes = partial.size;
        options.onProgress(partial.size, remote.size);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    whole = true;
    await checkContent(options, remote, partial);
    await partial.finish();
  } catch (error) {
    await (whole ? partial.discard() : partial.leave());
    throw error;
  }
}

async function checkContent(
  { url, check }: DownloadFileOptions,
  { size, sha256 }: RemoteFile,
  partial: PartialFile,
): Promise<void> {
  if (size !== undefined && partial.size !== size) {
    throw new DownloadError('wrong_content', `${url} sent ${partial.size} bytes where it announced ${size}`);
  }
  if (sha256 !== undefined && (await hashFile(partial.path)) !== sha256) {
    throw new DownloadError('wrong_content', `${url} sent bytes whose sha256 isn't the announced ${sha256}`);
  }
  await check(partial.path);
}

/** Aborts a request when no byte came for a while, or when the caller wants no more. */
class StallWatch {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#signal?.reason);
  /** What to say when it was this that ended the request. */
  stalled: string | undefined;

  constructor({ url, stallTimeout, signal }: DownloadFileOptions) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#timer = setTimeout(() => {
      this.stalled = `${url} sent nothing for ${stallTimeout / 1000} s`;
      this.#controller.abort(new Error(this.stalled));
    }, stallTimeout);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  alive(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** Whether the disk failed, not the network, whose errors `fetch` wraps. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
