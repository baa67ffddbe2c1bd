import Database from 'better-sqlite3';

/** Bytes of the keyword index in a catalog. */
export function bytesOfWords(file: string): number {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const sum = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name LIKE 'passage_words%'";
    return db.prepare(sum).pluck().get() as number;
  } finally {
    db.close();
  }
}
