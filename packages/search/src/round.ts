import type { SyncReport } from './sync-report.js';

/** How one round of keeping an index level ended. */
export interface Round {
  /** Milliseconds until the next one. */
  readonly pause: number;
  /** For those who asked; without one they go on waiting. */
  readonly report?: SyncReport;
}

/** A session can't go on; another one may. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';
}
