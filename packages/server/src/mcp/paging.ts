import { RpcError } from './rpc-error.js';

/** Most items on one page. */
export const pageSize = 100;

/** One page of a list that is sorted by `key`, and the cursor of the next page where there is one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/**
 * The page after `cursor`, or the first. A cursor holds the last key of the page before it, not a position: items
 * that come and go meanwhile make no other item appear twice or never.
 */
export function pageOf<T>(sorted: readonly T[], key: (item: T) => string, cursor: unknown): Page<T> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const start = after === undefined ? 0 : sorted.findIndex((item) => key(item) > after);
  const items = start === -1 ? [] : sorted.slice(start, start + pageSize);
  const last = items.at(-1);
  if (last === undefined || last === sorted.at(-1)) return { items };
  return { items, nextCursor: writeCursor(key(last)) };
}

/** For lists that always fit one page: no cursor was ever handed out, so none can be right. */
export function noCursor(params: Readonly<Record<string, unknown>>): void {
  if (params.cursor !== undefined) throw invalidCursor();
}

function writeCursor(key: string): string {
  return Buffer.from(JSON.stringify({ after: key })).toString('base64url');
}

function readCursor(cursor: unknown): string {
  try {
    const { after } = JSON.parse(Buffer.from(cursor as string, 'base64url').toString());
    if (typeof after === 'string' && writeCursor(after) === cursor) return after;
  } catch {
    // Not one of ours.
  }
  throw invalidCursor();
}

function invalidCursor(): RpcError {
  return RpcError.invalidParams('Invalid cursor: take it from the page before, or leave it out');
}
