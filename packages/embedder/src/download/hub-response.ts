/** What a hub says about a file, gathered over its redirects. */
export interface RemoteFile {
  readonly response: Response;
  /** Strong ETag of the bytes that are sent, or empty. */
  readonly etag: string;
  /** Size of the whole file in bytes, where the hub says. */
  readonly size: number | undefined;
  /** Hex sha256 of the whole file, where the hub says: it does for large ones. */
  readonly sha256: string | undefined;
}

const mostRedirects = 5;

/**
 * GETs a file. Redirects are followed by hand, because the hub tells a large file's size and hash
 * (`x-linked-size`, `x-linked-etag`) in the redirect to the host that stores it, and not there.
 */
export async function getFile(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<RemoteFile> {
  let linkedSize: string | null = null;
  let linkedEtag: string | null = null;
  let next = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await fetch(next, {
      // Compressed bytes could be neither counted nor resumed.
      headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'kettle' },
      redirect: 'manual',
      signal,
    });
    linkedSize ??= response.headers.get('x-linked-size');
    linkedEtag ??= response.headers.get('x-linked-etag');
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      next = new URL(location, next).href;
      continue;
    }
    const etag = response.headers.get('etag') ?? '';
    const size = linkedSize ?? wholeSize(response);
    return {
      response,
      etag,
      size: size === null ? undefined : Number(size),
      sha256: sha256Of(linkedEtag) ?? sha256Of(etag),
    };
  }
  throw new Error(`${url} redirects more than ${mostRedirects} times`);
}

/** Content-Range says the size of the whole, Content-Length that of what is sent. */
function wholeSize({ status, headers }: Response): string | null {
  if (status === 206) return /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? null;
  return headers.get('content-length');
}

/** Where the first byte of a partial answer belongs. */
export function firstByte({ headers }: Response): number {
  return Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? Number.NaN);
}

function sha256Of(etag: string | null): string | undefined {
  return /^(?:W\/)?"([\da-f]{64})"$/.exec(etag ?? '')?.[1];
}
