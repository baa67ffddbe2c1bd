/** Why a file is no document, as it was found out when the file had this stamp. */
export interface Refusal {
  readonly stamp: string;
  /** Whether the stamp tells of every change since; see `trustedStamp`. */
  readonly settled: boolean;
  /** Of the rules that refused it. */
  readonly rules: number;
  readonly reason: string;
}

/** By name. To find out anew may take as long as reading the file, so what was found is kept in the catalog. */
export type Refusals = ReadonlyMap<string, Refusal>;

/** Reads what `refusalsAsText` wrote. */
export function refusalsFrom(text: string | undefined): Refusals {
  return new Map(text === undefined ? [] : (JSON.parse(text) as [string, Refusal][]));
}

export function refusalsAsText(refusals: Refusals): string {
  return JSON.stringify([...refusals]);
}
