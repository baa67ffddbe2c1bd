import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode, type JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../app.js';
import { Connection } from './connection.js';
import { capabilities, initialize, notInitialized, serverInfo } from './initialize.js';
import type { Call, Method } from './method.js';
import { RpcError } from './rpc-error.js';
import { callTool, listTools } from './tools/index.js';

/** What is served once the connection is initialized. `initialize` and `ping` always are. */
const methods: ReadonlyMap<string, Method> = new Map([
  ['tools/list', listTools],
  ['tools/call', callTool],
]);

/**
 * An MCP server for one connection; `connect` it to a transport. It holds to the protocol whatever the transport:
 * before `initialize`, nothing else but `ping` is served.
 */
export function createMcpServer(app: App): Server {
  const server = new Server(serverInfo(app), { capabilities });
  const connection = new Connection(app, server);
  // The SDK's handlers by method answer bad parameters with an internal error that holds Zod's whole report, and
  // serve before `initialize`. So it only hands over the requests, and the table above says what becomes of them.
  server.removeRequestHandler('initialize');
  server.fallbackRequestHandler = (request, { signal, _meta, sendNotification }) =>
    serve(request, { connection, signal, progressToken: _meta?.progressToken, notify: sendNotification });
  return server;
}

async function serve(request: JSONRPCRequest, call: Call) {
  const { app, protocolVersion } = call.connection;
  const params = request.params ?? {};
  try {
    if (request.method === 'initialize') return await initialize(params, call);
    if (protocolVersion === undefined) throw notInitialized();
    const method = methods.get(request.method);
    if (!method) throw RpcError.methodNotFound(request.method);
    return await method(params, call);
  } catch (error) {
    if (error instanceof RpcError) throw error;
    app.log('error', `${request.method} failed`, { err: error });
    throw new RpcError(ErrorCode.InternalError, 'The server failed to do this. Its log says why.');
  }
}
