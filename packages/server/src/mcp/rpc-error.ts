import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';

/** An answer to a request that can't be served. `code`, `message` and `data` go out as they are. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  static invalidParams(message: string): RpcError {
    return new RpcError(ErrorCode.InvalidParams, message);
  }

  static methodNotFound(method: string): RpcError {
    return new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method.slice(0, 100)}`);
  }

  /** -32002 is MCP's own code for a resource that isn't there. */
  static resourceNotFound(uri: string): RpcError {
    return new RpcError(-32002, 'Resource not found', { uri });
  }
}
