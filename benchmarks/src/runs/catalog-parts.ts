import Database from 'better-sqlite3';

/** Bytes of the keyword index in a catalog, and of all the rest. */
export function catalogParts(file: string): { readonly words: number; readonly rest: number } {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const sizes = db
      .prepare("SELECT name LIKE 'passage_words%' AS words, sum(pgsize) AS bytes FROM dbstat GROUP BY 1")
      .all() as { words: 0 | 1; bytes: number }[];
    const of = (words: 0 | 1) => sizes.find((row) => row.words === words)?.bytes ?? 0;
    return { words: of(1), rest: of(0) };
  } finally {
    db.close();
  }
}
