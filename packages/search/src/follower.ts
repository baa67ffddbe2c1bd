import type { IndexState } from './index-state.js';
import type { Round } from './round.js';
import type { Session } from './session.js';
import { SyncTally } from './sync-tally.js';

/** Milliseconds. */
const followEvery = 1000;
const awaitEvery = 200;

/** One round of a process that reads what another one writes: its store follows the catalog. */
export async function follow(session: Session, state: IndexState, asked: boolean): Promise<Round> {
  const waiting = asked || !state.ready.isOpen || state.failures > 0 || !session.keeper.isUsable;
  if (!session.hasNews() && !waiting) return { pause: followEvery };
  if (!session.isComplete) return { pause: awaitEvery };
  await session.keeper.level();
  state.succeeded(session);
  return { pause: followEvery, report: new SyncTally().report(state.status().passages) };
}
