import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { HttpProblem } from './http-problem.js';

/** Answers with JSON, unless an answer has begun already or the client is gone. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(JSON.stringify(body));
}

/** Answers with a JSON-RPC error. */
export function sendProblem(response: ServerResponse, problem: HttpProblem): void {
  const { status, id, code, message, data, headers } = problem;
  sendJson(response, status, { jsonrpc: '2.0', id, error: { code, message, data } }, headers);
}
