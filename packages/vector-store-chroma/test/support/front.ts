import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** An HTTP server before a test's eyes: `await using front = await listen(…)`. */
export interface Front extends AsyncDisposable {
  readonly url: string;
}

export interface Credentials {
  readonly key: string;
  readonly cert: string;
}

export async function listen(listener: RequestListener, credentials?: Credentials): Promise<Front> {
  const server = credentials ? createSecureServer(credentials, listener) : createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${credentials ? 'https' : 'http'}://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers as Chroma does. */
export function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Passes a request on to a real server, under another path if given. */
export function passOn(
  target: string,
  incoming: IncomingMessage,
  response: ServerResponse,
  path = incoming.url!,
): void {
  const outgoing = request(
    new URL(path, target),
    { method: incoming.method, headers: incoming.headers },
    (reply) => {
      response.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(response);
    },
  );
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}
