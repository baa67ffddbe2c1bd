import { NotADocument } from './reading/not-a-document.js';
import type { TookTooLong } from './reading/took-too-long.js';
import type { FoundFile } from './reading/walk-folder.js';
import { rulesOf } from './rules-version.js';
import { trustedStamp } from './trusted-stamp.js';

/** Why a file is no document, as it was found out when the file had this stamp. */
export interface Refusal {
  readonly stamp: string;
  /** Whether the stamp tells of every change since; see `trustedStamp`. */
  readonly settled: boolean;
  /** Of the rules that refused it. */
  readonly rules: number;
  readonly reason: string;
  /** It took too long so many times in a row. That may be the machine's fault: it is read again after `retryAt`, in milliseconds of the clock. */
  readonly slow?: { readonly times: number; readonly retryAt: number };
}

/** By name. To find out anew may take as long as reading the file, so what was found is kept in the catalog. */
export type Refusals = ReadonlyMap<string, Refusal>;

/** Milliseconds, twice as many after each time. */
const slowAgainAfter = { first: 10 * 60_000, longest: 24 * 3_600_000 };

/** Notes what came of reading `file`, of which `former` was known. */
export function refusalOf(
  file: FoundFile,
  startedAt: number,
  error: NotADocument | TookTooLong,
  former?: Refusal,
): Refusal {
  const refusal = {
    stamp: file.stamp,
    settled: trustedStamp(file, startedAt) !== '',
    rules: rulesOf(file.name),
    reason: error.message,
  };
  if (error instanceof NotADocument) return refusal;
  const times = ((former?.stamp === file.stamp && former.slow?.times) || 0) + 1;
  const pause = Math.min(slowAgainAfter.longest, slowAgainAfter.first * 2 ** (times - 1));
  return { ...refusal, slow: { times, retryAt: Date.now() + pause } };
}

/** Whether a refusal still holds: neither the file nor the rules have changed, and it is not time to try again. */
export function stands(refusal: Refusal | undefined, file: FoundFile): refusal is Refusal {
  if (!refusal?.settled || refusal.stamp !== file.stamp || refusal.rules !== rulesOf(file.name)) return false;
  return refusal.slow === undefined || Date.now() < refusal.slow.retryAt;
}

/** Reads what `refusalsAsText` wrote. Anything else is none: they are found out again. */
export function refusalsFrom(text: string | undefined): Refusals {
  try {
    return new Map(text === undefined ? [] : (JSON.parse(text) as [string, Refusal][]));
  } catch {
    return new Map();
  }
}

export function refusalsAsText(refusals: Refusals): string {
  return JSON.stringify([...refusals]);
}
