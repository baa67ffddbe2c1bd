import type { IncomingMessage } from 'node:http';
import { ErrorCode, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import { longestBatch, revisionWithBatches } from '../stdio/batch.js';
import { BadMessage, checkMessage } from '../stdio/parse-message.js';
import { HttpProblem } from './http-problem.js';

/** What one POST brought. Only revision 2025-03-26 of the protocol has batches. */
export interface Messages {
  readonly all: readonly JSONRPCMessage[];
  readonly isBatch: boolean;
}

/**
 * Reads the JSON-RPC messages of a POST.
 * @throws {HttpProblem} 415 for another type than JSON, 413 for a body over `maxBytes`, and 400 with -32700 for
 * what is no JSON in UTF-8, with -32600 for JSON that is no JSON-RPC.
 */
export async function readMessages(request: IncomingMessage, maxBytes: number): Promise<Messages> {
  // A web page may send text/plain anywhere without asking; JSON it may not.
  if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new HttpProblem('Content-Type must be application/json', { status: 415 });
  const body = parse(await readBody(request, maxBytes));
  const isBatch = Array.isArray(body);
  const messages: unknown[] = isBatch ? body : [body];
  if (messages.length === 0) throw invalidRequest('Invalid request: the batch is empty');
  if (messages.length > longestBatch)
    throw invalidRequest(`Invalid request: a batch holds at most ${longestBatch} messages`);
  return { all: messages.map(toMessage), isBatch };
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new HttpProblem(`The request body must not exceed ${maxBytes} bytes`, {
      status: 413,
      // What is left of the body is not worth reading.
      headers: { connection: 'close' },
    });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop early must not cut the connection: the answer still goes over it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new HttpProblem('Parse error', { status: 400, code: ErrorCode.ParseError });
  }
}

function toMessage(value: unknown): JSONRPCMessage {
  try {
    const message = checkMessage(value);
    if (message) return message;
  } catch (error) {
    if (!(error instanceof BadMessage)) throw error;
    throw new HttpProblem(error.message, { status: 400, code: error.code, id: error.id });
  }
  throw invalidRequest('Invalid request: the notification or response is malformed');
}

/** For a batch in any revision but the one that has them, and before a revision is agreed on. */
export function batchNotSupported(): HttpProblem {
  return invalidRequest(
    `Invalid request: batches are not supported, except in sessions of protocol revision ${revisionWithBatches}`,
  );
}

/** @param id the request's, where it can be told */
export function invalidRequest(message: string, id: RequestId | null = null): HttpProblem {
  return new HttpProblem(message, { status: 400, code: ErrorCode.InvalidRequest, id });
}
