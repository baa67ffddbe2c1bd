import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ErrorCode,
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { HttpProblem } from './http-problem.js';
import { sendJson } from './json-reply.js';
import { batchNotSupported, invalidRequest, type Messages, readMessages } from './read-messages.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';

/** `/mcp`: finds or opens the session that a request belongs to, and answers what belongs to none. */
export class McpEndpoint {
  readonly #sessions: Sessions;
  readonly #maxBodyBytes: number;

  constructor(sessions: Sessions, maxBodyBytes: number) {
    this.#sessions = sessions;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** @throws {HttpProblem} for what can't be served */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') return this.#post(request, response);
    if (request.method !== 'GET' && request.method !== 'DELETE')
      throw new HttpProblem('Method not allowed', { status: 405, headers: { allow: 'GET, POST, DELETE' } });
    const session = this.#sessionOf(request);
    if (!session) throw new HttpProblem('Mcp-Session-Id is missing', { status: 400 });
    await (request.method === 'GET' ? session.get(request, response) : session.delete(request, response));
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const messages = await readMessages(request, this.#maxBodyBytes);
    const initialize = messages.all.find(isInitialize);
    if (initialize && messages.isBatch)
      throw invalidRequest('Invalid request: initialize must come alone', initialize.id);
    const session = this.#sessionOf(request, messages);
    if (session && initialize)
      throw invalidRequest('Invalid request: this session is initialized already', initialize.id);
    if (session) return session.post(request, response, messages);
    if (initialize) return this.#open(request, response, messages, initialize);
    if (messages.isBatch) throw batchNotSupported();
    this.#answerWithoutSession(response, messages.all[0]);
  }

  /** The session that the request names; undefined where it names none. */
  #sessionOf(request: IncomingMessage, messages?: Messages): Session | undefined {
    const id = request.headers['mcp-session-id'];
    if (typeof id !== 'string') return undefined;
    const session = this.#sessions.get(id);
    // 404 is how a client learns that it has to initialize again.
    if (!session)
      throw new HttpProblem('Session not found', {
        status: 404,
        code: -32_001,
        id: messages?.all.find(isJSONRPCRequest)?.id,
      });
    return session;
  }

  async #open(
    request: IncomingMessage,
    response: ServerResponse,
    messages: Messages,
    initialize: JSONRPCRequest,
  ): Promise<void> {
    if (!isInitializeRequest(initialize)) return sendJson(response, 400, beforeInitialize(initialize));
    const session = await this.#sessions.create(request.socket.remoteAddress ?? '');
    if (!session)
      throw new HttpProblem('Too many sessions', {
        status: 503,
        id: initialize.id,
        headers: { 'retry-after': '60' },
      });
    try {
      await session.post(request, response, messages);
    } finally {
      // Refused by the transport, or ended meanwhile.
      if (this.#sessions.get(session.id) !== session) await session.close();
    }
  }

  /** Before `initialize` only `ping` is served. */
  #answerWithoutSession(response: ServerResponse, message: JSONRPCMessage | undefined): void {
    if (!isJSONRPCRequest(message)) throw new HttpProblem('Mcp-Session-Id is missing', { status: 400 });
    const reply = beforeInitialize(message);
    sendJson(response, 'result' in reply ? 200 : 400, reply);
  }
}

function isInitialize(message: JSONRPCMessage): message is JSONRPCRequest {
  return isJSONRPCRequest(message) && message.method === 'initialize';
}

function beforeInitialize({ id, method }: JSONRPCRequest) {
  if (method === 'ping') return { jsonrpc: '2.0', id, result: {} };
  const error = { code: ErrorCode.InvalidParams, message: 'Invalid request parameters', data: '' };
  return { jsonrpc: '2.0', id, error };
}
