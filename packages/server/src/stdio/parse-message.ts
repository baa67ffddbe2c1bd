import {
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

/** A line that can't be passed on, and what its sender has to hear. */
export class BadMessage extends Error {
  override readonly name = 'BadMessage';
  readonly code: number;
  /** The id of the request, where it could be told. */
  readonly id: RequestId | null;

  constructor(code: number, message: string, id: RequestId | null = null) {
    super(message);
    this.code = code;
    this.id = id;
  }

  /** The JSON-RPC error that its sender gets. */
  toReply(): object {
    const { code, message, id } = this;
    return { jsonrpc: '2.0', id, error: { code, message } };
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads one line as JSON; undefined for a blank one.
 * @throws {BadMessage} for a line that is no JSON in UTF-8
 */
export function parseLine(line: Buffer): unknown {
  const text = decode(line);
  return text.trim() === '' ? undefined : parse(text);
}

function decode(line: Buffer): string {
  try {
    return utf8.decode(line);
  } catch {
    throw new BadMessage(ErrorCode.ParseError, 'Parse error: the line is not valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadMessage(ErrorCode.ParseError, 'Parse error: the line is not valid JSON');
  }
}

/**
 * Takes a value for a message; undefined for one that gets no reply and has no effect (a malformed notification or
 * response). What it gives is a message to the SDK too, which would never answer another one.
 * @throws {BadMessage} for a value that JSON-RPC wants answered with an error
 */
export function checkMessage(value: unknown): JSONRPCMessage | undefined {
  if (Array.isArray(value)) throw invalid('batches are not supported', null);
  if (!isObject(value)) throw invalid('a message is an object', null);
  const { jsonrpc, id, method, params } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return asResponse(value);
  const readable = isId(id) ? id : null;
  if (jsonrpc !== '2.0') throw invalid('"jsonrpc" must be "2.0"', readable);
  if (typeof method !== 'string') throw invalid('"method" must be a string', readable);
  if (id === undefined) return asNotification(method, params);
  if (!isId(id)) throw invalid('"id" must be a string or a whole number', null);
  return asRequest(id, method, params);
}

function asRequest(id: RequestId, method: string, params: unknown): JSONRPCMessage {
  if (params === undefined) return { jsonrpc: '2.0', id, method };
  if (!isObject(params)) throw invalid('"params" must be an object', id);
  const message = { jsonrpc: '2.0' as const, id, method, params };
  // The guard is Zod's and slow; only `_meta` can still be wrong.
  if (params._meta !== undefined && !isJSONRPCRequest(message))
    throw new BadMessage(ErrorCode.InvalidParams, 'Invalid params: "_meta" is malformed', id);
  return message;
}

function asNotification(method: string, params: unknown): JSONRPCMessage | undefined {
  const message = { jsonrpc: '2.0', method, ...(params !== undefined && { params }) };
  return isJSONRPCNotification(message) ? message : undefined;
}

function asResponse({ jsonrpc, id, result, error }: Record<string, unknown>): JSONRPCMessage | undefined {
  const message = error === undefined ? { jsonrpc, id, result } : { jsonrpc, id, error };
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message) ? message : undefined;
}

function invalid(reason: string, id: RequestId | null): BadMessage {
  return new BadMessage(ErrorCode.InvalidRequest, `Invalid request: ${reason}`, id);
}

/** What the SDK takes as an id. */
function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
