import type { DatabaseSync } from 'node:sqlite';
import { textIn } from '../sqlite/row-field.ts';
import type { StoreSchema } from '../sqlite/schema.ts';
import { openStoreDatabase } from '../sqlite/store-database.ts';
import { checkStoreKey } from '../store-key.ts';
import type { SqliteStoreOptions } from '../store-options.ts';
import { storedText } from '../stored-text.ts';
import type { MemoryStore, MemoryTarget } from './memory-store.ts';

const schema: StoreSchema = {
  name: 'the notes of agents',
  applicationId: 0x54_61_4d_01,
  migrations: [
    `CREATE TABLE entries (
      tenant TEXT NOT NULL,
      target TEXT NOT NULL,
      position INTEGER NOT NULL,
      content TEXT NOT NULL,
      PRIMARY KEY (tenant, target, position)
    ) STRICT`,
  ],
};

/**
 * Opens a {@link MemoryStore} in a file of SQLite, which several processes may use at the same time.
 * @throws ConfigError `config.invalid`, `config.missing-sqlite`; StateError `state.*`
 */
export async function openSqliteMemoryStore(options: SqliteStoreOptions): Promise<MemoryStore> {
  const store = await openStoreDatabase(options, schema);
  return {
    async read(tenant, target, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      return store.read((database) => readEntries(database, tenant, target), signal);
    },
    async update(tenant, target, change, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      return store.write((database) => {
        const { entries, outcome } = change(readEntries(database, tenant, target));
        if (entries !== undefined) writeEntries(database, { tenant, target, entries });
        return outcome;
      }, signal);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function readEntries(database: DatabaseSync, tenant: string, target: MemoryTarget): readonly string[] {
  const rows = database
    .prepare('SELECT content FROM entries WHERE tenant = ? AND target = ? ORDER BY position')
    .iterate(tenant, target);
  return Array.from(rows, (row) => textIn(row, 'content'));
}

function writeEntries(
  database: DatabaseSync,
  list: { readonly tenant: string; readonly target: MemoryTarget; readonly entries: readonly string[] },
): void {
  const { entries, target, tenant } = list;
  database.prepare('DELETE FROM entries WHERE tenant = ? AND target = ?').run(tenant, target);
  const insert = database.prepare('INSERT INTO entries (tenant, target, position, content) VALUES (?, ?, ?, ?)');
  for (const [position, content] of entries.entries()) insert.run(tenant, target, position, storedText(content));
}
