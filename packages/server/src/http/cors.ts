import type { IncomingMessage, ServerResponse } from 'node:http';

/** Lets a page whose Origin has been accepted read the answers, and the header with its session's id. */
export function allowBrowser({ headers: { origin } }: IncomingMessage, response: ServerResponse): void {
  if (origin === undefined) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', 'mcp-session-id');
  response.setHeader('vary', 'origin');
}

/** Answers the browser's question what a page may send. */
export function answerPreflight(response: ServerResponse): void {
  response
    .writeHead(204, {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers':
        'accept, authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id',
      'access-control-max-age': '600',
    })
    .end();
}
