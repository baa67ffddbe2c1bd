import { join } from 'node:path';
import Database from 'better-sqlite3';

/**
 * Takes the one place of guardian for `directory`, or gives undefined when another process has it. The lock is
 * held by the operating system through SQLite, so it ends with this process, however that ends.
 *
 * @returns Lets go of the lock.
 */
export function lockDirectory(directory: string): (() => void) | undefined {
  const database = new Database(join(directory, 'kettle-server.lock'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
  return () => database.close();
}
