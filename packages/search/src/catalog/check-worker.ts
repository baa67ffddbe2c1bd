// Runs SQLite's check in a thread of its own: it reads the whole file, which takes seconds for a large one.
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

const db = new Database(workerData as string, { readonly: true, fileMustExist: true });
try {
  parentPort!.postMessage(db.pragma('quick_check(1)', { simple: true }));
} finally {
  db.close();
}
