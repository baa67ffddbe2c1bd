/** What the catalog knows of itself. */
export type MetaKey =
  | 'model'
  | 'fingerprint'
  | 'dimensions'
  | 'corpus_id'
  /** Random: tells this index from another one of the same corpus. Moves with the catalog. */
  | 'index_id'
  | 'corpus_name'
  | 'corpus_directory'
  /** Device of the corpus folder when it was last read. */
  | 'corpus_device'
  /** Files that are no documents though their names say so; see `refusals.ts`. */
  | 'refused'
  /** When the catalog was last level with the folder, ISO 8601; up to a minute ago where nothing changed since. */
  | 'synced_at'
  /** `no` while a writer has it open: found so at the next start, the writer died. */
  | 'closed_cleanly';

export type MetaValues = Readonly<Partial<Record<MetaKey, string>>>;
