import type { VectorHit, VectorStoreErrorCode } from '@kettle/vector-store';
import type { IndexSettings } from './graph-options.js';

/** What the index thread is started with. */
export interface ThreadData {
  readonly settings: IndexSettings;
  /** Of the gate that stands before native code. */
  readonly gate: SharedArrayBuffer;
}

/** What the index thread is asked to do. Vectors are of length 1; lists of ids are joined by line feeds. */
export type Operation =
  | { readonly kind: 'upsert'; readonly ids: string; readonly vectors: Float32Array }
  | { readonly kind: 'delete'; readonly ids: string }
  | {
      readonly kind: 'query';
      readonly vector: Float32Array;
      readonly topK: number;
      readonly within: string | undefined;
    }
  | { readonly kind: 'count' }
  | { readonly kind: 'ids' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'persist' };

/** What each operation gives. */
export interface Results {
  readonly upsert: undefined;
  readonly delete: undefined;
  readonly query: VectorHit[];
  readonly count: number;
  /** Pages of ids, each joined by line feeds: one long string crosses threads faster than many short ones. */
  readonly ids: string[];
  readonly clear: undefined;
  readonly persist: undefined;
}

export type Request =
  | { readonly call: number; readonly operation: Operation }
  | { readonly call: number; readonly cancel: true }
  | { readonly call: typeof probeCall; readonly probe: true }
  | { readonly close: true };

/** The call that the thread answers by itself, once its index is loaded. */
export const openCall = 0;

/** Answered at once, between the slices of whatever is done: a sign of life. */
export const probeCall = -1;

/** The result of {@link openCall}. */
export interface Opened {
  /** Why stored data could not be used, if so. */
  readonly rebuild: string | undefined;
}

export type Reply =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: ErrorMessage };

/** An error on its way between threads, where classes are lost. */
export interface ErrorMessage {
  readonly code: VectorStoreErrorCode;
  readonly message: string;
}

/** No id holds a line feed, so joined lists fall apart again. */
const separator = '\n';

/** Strings that can't be ids are left out: no record has them. */
export function joinIds(ids: Iterable<string>): string {
  return Array.from(ids)
    .filter((id) => id !== '' && !id.includes(separator))
    .join(separator);
}

export function splitIds(ids: string): string[] {
  return ids === '' ? [] : ids.split(separator);
}
