import type { z } from 'zod';
import { RpcError } from './rpc-error.js';

/** Checks a request's parameters. Throws -32602, saying what the method takes. */
export function parseParams<T extends z.ZodType>(schema: T, params: unknown, takes: string): z.output<T> {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw RpcError.invalidParams(takes);
  return parsed.data;
}

/** The parameters with `arguments`, for which some clients send null where there are none. */
export function withArguments(params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...params, arguments: params.arguments ?? {} };
}
