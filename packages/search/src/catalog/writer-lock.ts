import { join } from 'node:path';
import Database from 'better-sqlite3';

const mostNames = 10;

/**
 * The right to write one index, held by one process at a time. It is SQLite's exclusive lock on an empty database,
 * which the operating system holds for the process: it ends with it, however it ends.
 */
export class WriterLock {
  readonly #db: Database.Database;

  private constructor(db: Database.Database) {
    this.#db = db;
  }

  /** The lock, or `undefined` while another process has it. */
  static acquire(directory: string): WriterLock | undefined {
    for (let attempt = 0; attempt < mostNames; attempt++) {
      const db = new Database(join(directory, `writer-lock${attempt === 0 ? '' : `-${attempt}`}.sqlite`), {
        timeout: 0,
      });
      try {
        db.exec('BEGIN EXCLUSIVE');
        return new WriterLock(db);
      } catch (error) {
        db.close();
        const code = String((error as { code?: unknown }).code);
        if (code.startsWith('SQLITE_BUSY')) return undefined;
        // Somebody overwrote the file. Replacing it could take the lock from under a process that just got it; the
        // next name is free of that, and every process comes to the same one.
        if (code !== 'SQLITE_NOTADB' && !code.startsWith('SQLITE_CORRUPT')) throw error;
      }
    }
    throw new Error(`Every lock file in ${directory} is damaged. Remove the writer-lock files.`);
  }

  release(): void {
    this.#db.close();
  }
}
