import {
  ErrorCode,
  type Implementation,
  InitializeRequestParamsSchema,
  LATEST_PROTOCOL_VERSION,
  type ServerCapabilities,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../app.js';
import { instructions } from './descriptions.js';
import type { Method } from './method.js';
import { RpcError } from './rpc-error.js';

/** Exactly what works. */
export const capabilities: ServerCapabilities = {
  tools: {},
  resources: { listChanged: true, subscribe: true },
  prompts: {},
  completions: {},
  logging: {},
};

/** How the server introduces itself. */
export function serverInfo(app: App): Implementation {
  return { name: 'rag-search-server', title: 'Kettle', version: app.version };
}

/** Opens the connection, once. The index is loaded behind the reply. */
export const initialize: Method = (params, { connection }) => {
  const { app, protocolVersion } = connection;
  if (protocolVersion !== undefined)
    throw new RpcError(ErrorCode.InvalidRequest, 'This connection is already initialized');
  const parsed = InitializeRequestParamsSchema.safeParse(params);
  if (!parsed.success) throw notInitialized();
  const wanted = parsed.data.protocolVersion;
  const agreed = SUPPORTED_PROTOCOL_VERSIONS.includes(wanted) ? wanted : LATEST_PROTOCOL_VERSION;
  connection.agreeOn(agreed);
  setImmediate(() => app.index().catch(() => {}));
  return {
    protocolVersion: agreed,
    capabilities,
    serverInfo: serverInfo(app),
    instructions: instructions(app.corpus),
  };
};

/** What a request gets that comes before `initialize` was done. */
export function notInitialized(): RpcError {
  return new RpcError(ErrorCode.InvalidParams, 'Invalid request parameters', '');
}
