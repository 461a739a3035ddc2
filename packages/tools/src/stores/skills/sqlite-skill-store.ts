import type { DatabaseSync } from 'node:sqlite';
import { textIn } from '../sqlite/row-field.ts';
import type { StoreSchema } from '../sqlite/schema.ts';
import { openStoreDatabase } from '../sqlite/store-database.ts';
import { checkStoreKey } from '../store-key.ts';
import type { SqliteStoreOptions } from '../store-options.ts';
import { storedText } from '../stored-text.ts';
import type { SkillStore, StoredSkill } from './skill-store.ts';

const schema: StoreSchema = {
  name: 'skills',
  applicationId: 0x54_61_6b_01,
  migrations: [
    `CREATE TABLE skills (
      tenant TEXT NOT NULL,
      name TEXT NOT NULL,
      category TEXT,
      description TEXT NOT NULL,
      PRIMARY KEY (tenant, name)
    ) STRICT;
    CREATE TABLE files (
      tenant TEXT NOT NULL,
      skill TEXT NOT NULL,
      path TEXT NOT NULL,
      content TEXT NOT NULL,
      PRIMARY KEY (tenant, skill, path),
      FOREIGN KEY (tenant, skill) REFERENCES skills (tenant, name) ON DELETE CASCADE
    ) STRICT;`,
  ],
};

/**
 * Opens a {@link SkillStore} in a file of SQLite, which several processes may use at the same time.
 * @throws ConfigError `config.invalid`, `config.missing-sqlite`; StateError `state.*`
 */
export async function openSqliteSkillStore(options: SqliteStoreOptions): Promise<SkillStore> {
  const store = await openStoreDatabase(options, schema);
  return {
    async list(tenant, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      return store.read((database) => {
        const rows = database
          .prepare('SELECT name, category, description FROM skills WHERE tenant = ? ORDER BY name')
          .iterate(tenant);
        return Array.from(rows, (row) => ({
          name: textIn(row, 'name'),
          category: categoryIn(row),
          description: textIn(row, 'description'),
        }));
      }, signal);
    },
    async read(tenant, name, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      return store.read((database) => readSkill(database, tenant, name), signal);
    },
    async update(tenant, name, change, { signal } = {}) {
      checkStoreKey('tenant', tenant);
      return store.write((database) => {
        const { outcome, skill } = change(readSkill(database, tenant, name));
        if (skill !== undefined) removeSkill(database, tenant, name);
        if (skill !== undefined && skill !== null) writeSkill(database, { tenant, name, skill });
        return outcome;
      }, signal);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function readSkill(database: DatabaseSync, tenant: string, name: string): StoredSkill | null {
  const row = database
    .prepare('SELECT category, description FROM skills WHERE tenant = ? AND name = ?')
    .get(tenant, name);
  if (row === undefined) return null;
  const files = database
    .prepare('SELECT path, content FROM files WHERE tenant = ? AND skill = ? ORDER BY path')
    .iterate(tenant, name);
  return {
    category: categoryIn(row),
    description: textIn(row, 'description'),
    files: new Map(Array.from(files, (file) => [textIn(file, 'path'), textIn(file, 'content')])),
  };
}

function removeSkill(database: DatabaseSync, tenant: string, name: string): void {
  database.prepare('DELETE FROM skills WHERE tenant = ? AND name = ?').run(tenant, name);
}

function writeSkill(
  database: DatabaseSync,
  written: { readonly tenant: string; readonly name: string; readonly skill: StoredSkill },
): void {
  const { name, skill, tenant } = written;
  database
    .prepare('INSERT INTO skills (tenant, name, category, description) VALUES (?, ?, ?, ?)')
    .run(tenant, name, skill.category, storedText(skill.description));
  const insert = database.prepare('INSERT INTO files (tenant, skill, path, content) VALUES (?, ?, ?, ?)');
  for (const [path, content] of skill.files) insert.run(tenant, name, path, storedText(content));
}

function categoryIn(row: Readonly<Record<string, unknown>>): string | null {
  return row['category'] === null ? null : textIn(row, 'category');
}
