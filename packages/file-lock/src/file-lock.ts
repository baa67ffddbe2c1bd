import { statSync } from 'node:fs';
import { join, parse } from 'node:path';
import Database from 'better-sqlite3';

const mostNames = 10;

/**
 * A lock that one process holds at a time. It is SQLite's exclusive lock on an empty database, which the operating
 * system holds for the process: it ends with it, however it ends.
 */
export class FileLock {
  readonly #database: Database.Database;

  private constructor(database: Database.Database) {
    this.#database = database;
  }

  /**
   * Takes the lock at once, or gives undefined while another holder has it, in this process or another.
   *
   * @param directory A folder that is there. The lock's file is made in it on demand.
   * @param name Name of the file. Where that is damaged, `name-1`, `name-2` and so on (before its ending) are used.
   * @throws What SQLite or the file system say when no lock can be held there: `SQLITE_READONLY`, `SQLITE_CANTOPEN`.
   */
  static acquire(directory: string, name: string): FileLock | undefined {
    const { name: stem, ext } = parse(name);
    for (let attempt = 0; attempt < mostNames; attempt++) {
      const file = join(directory, attempt === 0 ? name : `${stem}-${attempt}${ext}`);
      // Replacing what is no lock could take the lock from under a process that just got it; the next name is free of
      // that, and every process comes to the same one.
      if (isFolder(file)) continue;
      const database = new Database(file, { timeout: 0 });
      try {
        lock(database);
        return new FileLock(database);
      } catch (error) {
        database.close();
        const code = String((error as { code?: unknown }).code);
        if (code.startsWith('SQLITE_BUSY')) return undefined;
        if (code !== 'SQLITE_NOTADB' && !code.startsWith('SQLITE_CORRUPT')) throw error;
      }
    }
    throw new Error(
      `Every lock file in ${directory} is damaged. Remove ${stem}${ext} and those numbered like it.`,
    );
  }

  release(): void {
    this.#database.close();
  }
}

function lock(database: Database.Database): void {
  database.pragma('journal_mode = MEMORY');
  database.exec('BEGIN EXCLUSIVE');
  // On a file that may only be read, that succeeds, for everybody at once. A change tells. It is never written: neither
  // to the file nor, as the journal is in memory, to one beside it.
  database.pragma('user_version = 1');
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
