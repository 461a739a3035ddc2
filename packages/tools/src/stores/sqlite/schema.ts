import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '@talaria/core';

/** What the tables of one kind of store are. */
export interface StoreSchema {
  /** In words, for errors. */
  readonly name: string;
  /** Number in the head of the file that tells whose it is; unique per kind of store. */
  readonly applicationId: number;
  /** Statements that bring a file from version n to n + 1. Never changed once they were published; new ones are added. */
  readonly migrations: readonly string[];
}

/** Brings a file to the present version; within a transaction. @throws StateError for a file of something else, or newer */
export function applySchema(database: DatabaseSync, schema: StoreSchema, path: string): void {
  const applicationId = pragma(database, 'application_id');
  const version = pragma(database, 'user_version');
  const isNew = applicationId === 0 && version === 0 && countTables(database) === 0;
  if (!isNew && applicationId !== schema.applicationId) {
    throw new StateError(`${path} holds something else than ${schema.name}`, {
      code: 'state.different-store',
      hint: 'Give each store a file of its own.',
    });
  }
  if (version > schema.migrations.length) {
    throw new StateError(
      `${path} was written by a newer version: schema ${version}, known ${schema.migrations.length}`,
      {
        code: 'state.unknown-version',
        hint: 'Update the package, or choose another file.',
      },
    );
  }
  if (version === schema.migrations.length) return;
  for (const statements of schema.migrations.slice(version)) database.exec(statements);
  database.exec(`PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = ${schema.migrations.length}`);
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  const value = database.prepare(`PRAGMA ${name}`).get()?.[name];
  return typeof value === 'number' ? value : 0;
}

function countTables(database: DatabaseSync): number {
  const count = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'];
  return typeof count === 'number' ? count : 0;
}
