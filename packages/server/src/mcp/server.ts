import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { JSONRPCRequest, Result } from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../app.js';
import { complete } from './completions.js';
import { Connection } from './connection.js';
import { asRpcError } from './explain.js';
import { capabilities, initialize, notInitialized, serverInfo } from './initialize.js';
import { setLevel } from './logging.js';
import type { Call, Method } from './method.js';
import { getPrompt, listPrompts } from './prompts.js';
import { listResources, listResourceTemplates, readResource, subscribe, unsubscribe } from './resources.js';
import { RpcError } from './rpc-error.js';
import { callTool, listTools } from './tools/index.js';

/** What is served once the connection is initialized. `initialize` and `ping` always are. */
export const kettleMethods: ReadonlyMap<string, Method> = new Map([
  ['tools/list', listTools],
  ['tools/call', callTool],
  ['resources/list', listResources],
  ['resources/templates/list', listResourceTemplates],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  ['prompts/list', listPrompts],
  ['prompts/get', getPrompt],
  ['completion/complete', complete],
  ['logging/setLevel', setLevel],
]);

class KettleServer extends Server {
  /** MCP: who does not declare tasks serves a request that asks for one as if it did not. The SDK refuses it. */
  protected override assertTaskHandlerCapability(): void {}
}

/**
 * An MCP server for one connection; `connect` it to a transport. It holds to the protocol whatever the transport:
 * before `initialize`, nothing else but `ping` is served. It lets go of the app in `server.onclose`: whoever sets that
 * must call what was there before.
 *
 * @param methods what it serves
 */
export function createMcpServer(app: App, methods = kettleMethods): Server {
  const server = new KettleServer(serverInfo(app), { capabilities });
  const connection = new Connection(app, server);
  // The SDK's handlers by method answer bad parameters with an internal error that holds Zod's whole report, and
  // serve before `initialize`. So it only hands over the requests, and the table above says what becomes of them.
  for (const method of ['initialize', 'logging/setLevel']) server.removeRequestHandler(method);
  server.fallbackRequestHandler = (request, { signal, _meta, sendNotification }) =>
    serve(request, methods, {
      connection,
      signal,
      progressToken: _meta?.progressToken,
      notify: sendNotification,
    });
  server.onclose = app.onChange((change, isFirst) => connection.tellChange(change, isFirst));
  return server;
}

async function serve(
  { method, params = {} }: JSONRPCRequest,
  methods: ReadonlyMap<string, Method>,
  call: Call,
): Promise<Result> {
  try {
    if (method === 'initialize') return await initialize(params, call);
    if (call.connection.protocolVersion === undefined) throw notInitialized();
    const serveMethod = methods.get(method);
    if (!serveMethod) throw RpcError.methodNotFound(method);
    return await serveMethod(params, call);
  } catch (error) {
    throw error instanceof RpcError ? error : asRpcError(error, call);
  }
}
