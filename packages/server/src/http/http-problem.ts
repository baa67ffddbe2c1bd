import type { OutgoingHttpHeaders } from 'node:http';
import { ErrorCode, type RequestId } from '@modelcontextprotocol/sdk/types.js';

export interface HttpProblemOptions {
  readonly status: number;
  /** JSON-RPC error code. @default -32000, "server error" */
  readonly code?: number;
  readonly data?: unknown;
  /** The request that can't be served, where there is one. */
  readonly id?: RequestId | null | undefined;
  readonly headers?: OutgoingHttpHeaders;
}

/** A request that is refused. Everything in it goes to the client, so it says nothing about the inside. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly code: number;
  readonly data: unknown;
  readonly id: RequestId | null;
  readonly headers: OutgoingHttpHeaders;

  constructor(
    message: string,
    { status, code = -32_000, data, id = null, headers = {} }: HttpProblemOptions,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
    this.id = id;
    this.headers = headers;
  }

  /** What a client gets when we are at fault; the log has the reason. */
  static internal(): HttpProblem {
    return new HttpProblem('Internal error', { status: 500, code: ErrorCode.InternalError });
  }
}
