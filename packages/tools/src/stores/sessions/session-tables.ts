import type { DatabaseSync } from 'node:sqlite';
import type { StoreSchema } from '../sqlite/schema.ts';

/**
 * The tables of sessions. Messages hold their tenant, too, so that no query can leave it out by a wrong join, and their words
 * as we tell words apart: SQLite knows an old Unicode only, and takes many signs, such as newer emoji, for letters.
 */
export const sessionSchema: StoreSchema = {
  name: 'the messages of sessions',
  applicationId: 0x54_61_53_01,
  migrations: [
    `CREATE TABLE sessions (
      id INTEGER PRIMARY KEY,
      tenant TEXT NOT NULL,
      name TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      message_count INTEGER NOT NULL,
      preview TEXT NOT NULL,
      UNIQUE (tenant, name)
    ) STRICT;
    CREATE INDEX sessions_by_time ON sessions (tenant, last_at);
    CREATE TABLE messages (
      id INTEGER PRIMARY KEY,
      tenant TEXT NOT NULL,
      session INTEGER NOT NULL REFERENCES sessions (id),
      role TEXT NOT NULL,
      content TEXT NOT NULL,
      words TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX messages_by_time ON messages (tenant, at, id);`,
  ],
};

/** Makes the full-text index where SQLite can, fills it, and says whether there is one. Within a transaction. */
export function ensureFullText(database: DatabaseSync): boolean {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'message_words'").get() !== undefined;
  const isCompiledIn = database.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined;
  if (isThere || !isCompiledIn) return isThere && isCompiledIn;
  database.exec(`
    CREATE VIRTUAL TABLE message_words USING fts5 (
      words, content = 'messages', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 0'
    );
    CREATE TRIGGER message_words_added AFTER INSERT ON messages BEGIN
      INSERT INTO message_words (rowid, words) VALUES (new.id, new.words);
    END;
    INSERT INTO message_words (message_words) VALUES ('rebuild');
  `);
  return true;
}
