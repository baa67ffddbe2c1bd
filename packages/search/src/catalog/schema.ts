/** Marks the file as ours ("Kttl"), so that another program's database is never taken for a catalog. */
export const applicationId = 0x4b74746c;

/**
 * Splits texts into words and those into stems (Porter's, for English; words of other languages mostly stay whole).
 * Used by the first migration: another one needs a migration that makes the keyword index anew.
 */
export const keywordTokenizer = 'porter unicode61 remove_diacritics 2';

/**
 * One step for each schema version; a catalog of version n has run the first n. Only ever add to the end.
 *
 * The triggers keep three things true whatever statement writes: how many passages use a content, the keyword
 * index, and the log of changes that vector stores and other processes are brought level from.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,          -- path in the corpus folder
    hash TEXT NOT NULL,                 -- SHA-256 of the file's bytes
    stamp TEXT NOT NULL,                -- size, times and inode when it was read; empty when they can't be trusted
    size INTEGER NOT NULL,              -- bytes
    mime_type TEXT NOT NULL,
    splitter INTEGER NOT NULL,          -- version of the rules its passages were split by
    warning TEXT                        -- what was wrong with its encoding
  );
  CREATE INDEX documents_by_hash ON documents (hash);

  -- Each distinct text that was embedded, under the hash of the text.
  CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    uses INTEGER NOT NULL DEFAULT 0,    -- passages with this text
    unused_since INTEGER                -- Unix time in seconds; null while in use
  );
  CREATE INDEX contents_unused ON contents (unused_since) WHERE uses = 0;

  -- Apart from contents, so that counting uses does not rewrite vectors.
  CREATE TABLE embeddings (
    content INTEGER PRIMARY KEY REFERENCES contents ON DELETE CASCADE,
    vector BLOB NOT NULL                -- float32, little endian
  );

  CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,             -- UTF-16 offsets in the document's text
    "end" INTEGER NOT NULL,
    context TEXT NOT NULL,              -- headings embedded in front of the text
    text TEXT NOT NULL,
    content INTEGER NOT NULL REFERENCES contents
  );
  CREATE INDEX passages_by_document ON passages (document, ordinal);
  CREATE INDEX passages_by_content ON passages (content);

  CREATE VIRTUAL TABLE passage_words USING fts5 (
    context, text, content = 'passages', content_rowid = 'id', tokenize = '${keywordTokenizer}'
  );

  -- live, dead: a content's hash. added, changed, removed: a document's name.
  CREATE TABLE changes (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL
  );

  -- The state that each vector store was last saved in.
  CREATE TABLE stores (
    backend TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    saved_at TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TRIGGER passage_added AFTER INSERT ON passages BEGIN
    INSERT INTO passage_words (rowid, context, text) VALUES (new.id, new.context, new.text);
    UPDATE contents SET uses = uses + 1, unused_since = NULL WHERE id = new.content;
  END;
  CREATE TRIGGER passage_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passage_words (passage_words, rowid, context, text)
      VALUES ('delete', old.id, old.context, old.text);
    UPDATE contents SET uses = uses - 1, unused_since = CASE uses WHEN 1 THEN unixepoch() END
      WHERE id = old.content;
  END;
  CREATE TRIGGER content_live AFTER UPDATE OF uses ON contents WHEN old.uses = 0 AND new.uses > 0 BEGIN
    INSERT INTO changes (kind, subject) VALUES ('live', new.hash);
  END;
  CREATE TRIGGER content_dead AFTER UPDATE OF uses ON contents WHEN old.uses > 0 AND new.uses = 0 BEGIN
    INSERT INTO changes (kind, subject) VALUES ('dead', new.hash);
  END;
  CREATE TRIGGER document_added AFTER INSERT ON documents BEGIN
    INSERT INTO changes (kind, subject) VALUES ('added', new.name);
  END;
  CREATE TRIGGER document_removed AFTER DELETE ON documents BEGIN
    INSERT INTO changes (kind, subject) VALUES ('removed', old.name);
  END;
  CREATE TRIGGER document_renamed AFTER UPDATE OF name ON documents WHEN old.name <> new.name BEGIN
    INSERT INTO changes (kind, subject) VALUES ('removed', old.name), ('added', new.name);
  END;
  CREATE TRIGGER document_changed AFTER UPDATE OF hash ON documents WHEN old.hash <> new.hash BEGIN
    INSERT INTO changes (kind, subject) VALUES ('changed', new.name);
  END;
  `,
  // Counted once, when a document is put, and not anew for each list of documents and each status.
  `
  ALTER TABLE documents ADD COLUMN passages INTEGER NOT NULL DEFAULT 0;
  UPDATE documents SET passages = (SELECT count(*) FROM passages WHERE document = documents.id);
  `,
  // Chinese and Japanese letters go into the keyword index one by one: a clause had been one word.
  `
  INSERT INTO passage_words (passage_words, rowid, context, text)
    SELECT 'delete', id, context, text FROM passages WHERE spaced(context) <> context OR spaced(text) <> text;
  INSERT INTO passage_words (rowid, context, text)
    SELECT id, spaced(context), spaced(text) FROM passages WHERE spaced(context) <> context OR spaced(text) <> text;
  DROP TRIGGER passage_added;
  DROP TRIGGER passage_removed;
  CREATE TRIGGER passage_added AFTER INSERT ON passages BEGIN
    INSERT INTO passage_words (rowid, context, text) VALUES (new.id, spaced(new.context), spaced(new.text));
    UPDATE contents SET uses = uses + 1, unused_since = NULL WHERE id = new.content;
  END;
  CREATE TRIGGER passage_removed AFTER DELETE ON passages BEGIN
    INSERT INTO passage_words (passage_words, rowid, context, text)
      VALUES ('delete', old.id, spaced(old.context), spaced(old.text));
    UPDATE contents SET uses = uses - 1, unused_since = CASE uses WHEN 1 THEN unixepoch() END
      WHERE id = old.content;
  END;
  `,
];
