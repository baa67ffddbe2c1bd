import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

/** What the hub does with one request for a file. Counts requests from 0. */
export interface Behaviour {
  /** Ends the connection after so many bytes of the body. */
  readonly breakAfter?: number;
  /** Goes silent after so many bytes of the body. */
  readonly stallAfter?: number;
  /** Answers as if no Range had been asked for. */
  readonly ignoreRange?: boolean;
  readonly status?: number;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly redirectTo?: string;
}

export interface SeenRequest {
  readonly file: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly status: number;
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** A small model hub on the loopback that serves one folder's files under any model's name. */
export class Hub {
  readonly #server: Server;
  readonly #folder: string;
  readonly requests: SeenRequest[] = [];
  behaviour: (file: string, earlier: number) => Behaviour = () => ({});

  constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  of(file: string): SeenRequest[] {
    return this.requests.filter((request) => request.file === file);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const file = decodeURI(request.url!).split('/resolve/main/')[1] ?? '';
    const behaviour = this.behaviour(file, this.of(file).length);
    const { range } = request.headers;
    const ifRange = request.headers['if-range'] as string | undefined;
    const { status, headers, body } = this.#reply(file, behaviour, range, ifRange);
    this.requests.push({ file, range, ifRange, status });
    response.writeHead(status, { ...headers, ...behaviour.headers });
    this.#write(response, body, behaviour);
  }

  #reply(file: string, behaviour: Behaviour, range: string | undefined, ifRange: string | undefined): Reply {
    const { redirectTo, status, ignoreRange } = behaviour;
    const none = new Uint8Array();
    if (redirectTo) return { status: 302, headers: { location: redirectTo }, body: none };
    const content = status ? undefined : (behaviour.body ?? this.#read(file));
    if (!content) return { status: status ?? 404, headers: {}, body: none };

    const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? Number.NaN);
    if (Number.isNaN(from) || ignoreRange || (ifRange !== undefined && ifRange !== etag)) {
      return { status: 200, headers: { etag, 'content-length': String(content.length) }, body: content };
    }
    const body = content.subarray(from);
    const contentRange = `bytes ${from}-${content.length - 1}/${content.length}`;
    const headers = { etag, 'content-length': String(body.length), 'content-range': contentRange };
    return { status: 206, headers, body };
  }

  #read(file: string): Uint8Array | undefined {
    try {
      return readFileSync(path.join(this.#folder, file));
    } catch {
      return undefined;
    }
  }

  #write(response: ServerResponse, body: Uint8Array, { breakAfter, stallAfter }: Behaviour): void {
    const cut = breakAfter ?? stallAfter;
    if (cut === undefined) {
      response.end(body);
      return;
    }
    response.write(body.subarray(0, cut), () => {
      if (breakAfter !== undefined) response.socket?.destroy();
    });
  }
}
