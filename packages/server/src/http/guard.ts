import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isLoopback } from './loopback.js';

export interface GuardOptions {
  /** The address that the server listens on. */
  readonly host: string;
  readonly authToken: string | undefined;
  /** Further values of Host: `example.com` with any port, or `example.com:8443` with that one. */
  readonly allowedHosts: readonly string[];
  /** Further values of Origin, such as `https://chat.example.com`. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Decides who may talk to the server.
 *
 * Host and Origin are checked against DNS rebinding: a web page can make a browser connect to this machine under
 * a name of its own, but it can't hide that name. Beyond loopback any IP address is a good Host, since rebinding
 * needs a name.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #beyondLoopback: boolean;
  readonly #tokenHash: Buffer | undefined;

  constructor({ host, authToken, allowedHosts, allowedOrigins }: GuardOptions) {
    this.#beyondLoopback = !isLoopback(host);
    const own = this.#beyondLoopback ? [host, hostname()] : [host];
    this.#hosts = new Set([...own, ...allowedHosts].map((name) => name.toLowerCase()));
    this.#origins = new Set(allowedOrigins.map(canonicalOrigin));
    this.#tokenHash = authToken === undefined ? undefined : sha256(authToken);
  }

  allowsHost(headers: IncomingHttpHeaders): boolean {
    const host = headers.host?.toLowerCase() ?? '';
    if (host.endsWith(':') || !URL.canParse(`http://${host}`)) return false;
    // A final dot is the root of all names, and part of none.
    const name = host.replace(/:\d*$/, '').replace(/\.$/, '');
    if (this.#hosts.has(host) || this.#hosts.has(name) || isLoopback(name)) return true;
    return this.#beyondLoopback && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  }

  /** Only browsers send an Origin. Pages served from this machine may come in, and those that were allowed. */
  allowsOrigin({ origin }: IncomingHttpHeaders): boolean {
    if (origin === undefined) return true;
    if (this.#origins.has(canonicalOrigin(origin))) return true;
    // Extensions choose the names in theirs.
    return /^https?:/i.test(origin) && URL.canParse(origin) && isLoopback(new URL(origin).hostname);
  }

  /** Compares hashes, so that neither the time taken nor the length tells anything about the token. */
  allowsToken({ authorization }: IncomingHttpHeaders): boolean {
    if (this.#tokenHash === undefined) return true;
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    return token !== undefined && timingSafeEqual(sha256(token), this.#tokenHash);
  }
}

/** As browsers write it: in lower case, without the scheme's own port and without a slash at the end. */
function canonicalOrigin(origin: string): string {
  const written = origin.toLowerCase().replace(/\/$/, '');
  // Of schemes that it doesn't know, URL gives the origin "null".
  const parsed = URL.canParse(written) ? new URL(written).origin : 'null';
  return parsed === 'null' ? written : parsed;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
