import Database from 'better-sqlite3';
import { spacedIdeographs } from '../keywords/spaced-ideographs.js';

/** How long one connection waits for another one's transaction. */
const busyMilliseconds = 5000;

/** A connection to a catalog, set up as all of them are. */
export function connect(path: string, options: { fileMustExist: boolean }): Database.Database {
  const db = new Database(path, { timeout: busyMilliseconds, ...options });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    db.pragma('cache_size = -16000');
    db.pragma('journal_size_limit = 16000000');
    // The triggers that keep the keyword index call it.
    db.function('spaced', { deterministic: true }, (text) => spacedIdeographs(text as string));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
