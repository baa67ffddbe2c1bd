import { RpcError } from './rpc-error.js';

/** For lists that always fit one page: no cursor was ever handed out, so none can be right. */
export function noCursor(params: Readonly<Record<string, unknown>>): void {
  if (params.cursor !== undefined)
    throw RpcError.invalidParams('Invalid cursor: this list has a single page');
}
