import type { FoundFile } from './reading/walk-folder.js';

/** File systems stamp files in steps: a file written this close to its reading may change without a new stamp. */
const fineStep = 50;
const coarseStep = 2000;
/** Clocks of file servers may be ahead by this much. What was changed still later was changed by another clock's time. */
const longestSkew = 3_600_000;

/** The stamp, or none when the file was written so close to its reading that the stamp may not tell. */
export function trustedStamp(file: FoundFile, startedAt: number): string {
  const step = file.changed % 1000 === 0 ? coarseStep : fineStep;
  const age = startedAt - file.changed;
  return age < step && age > -longestSkew ? '' : file.stamp;
}
