import { open } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Clock, ConfigError, errorMessage, makeFolder, retry, StateError, systemClock } from '@talaria/core';
import type { SqliteStoreOptions } from '../store-options.ts';
import { applySchema, type StoreSchema } from './schema.ts';
import { isBusy, toStoreError } from './sqlite-failure.ts';

/** A file of SQLite that several processes may use. Disposing closes it; calls after that reject with `state.closed`. */
export interface StoreDatabase extends AsyncDisposable {
  /** Runs a whole transaction that only reads. It may run more than once. */
  read<Result>(action: (database: DatabaseSync) => Result, signal?: AbortSignal): Promise<Result>;
  /** Runs a whole transaction: all of it happens or, where anything throws, nothing. It may run more than once. */
  write<Result>(action: (database: DatabaseSync) => Result, signal?: AbortSignal): Promise<Result>;
}

/** SQLite itself waits so long for a lock, since it holds up the whole process; the rest is waited for without it. */
const blockingWaitMs = 50;

/**
 * Opens a file and brings its tables up to date.
 * @throws ConfigError `config.invalid`, `config.missing-sqlite`; StateError `state.*`
 */
export async function openStoreDatabase(options: SqliteStoreOptions, schema: StoreSchema): Promise<StoreDatabase> {
  const { clock = systemClock, lockTimeoutMs = 10_000, path } = options;
  checkOptions(path, lockTimeoutMs);
  const { DatabaseSync } = await importSqlite();
  await createFile(path);
  const waits: LockWaits = { clock, lockTimeoutMs, path };
  let database: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(path, { enableForeignKeyConstraints: true });
    database = opened;
    // Durable: what was told as stored must survive the machine.
    opened.exec(`PRAGMA busy_timeout = ${blockingWaitMs}; PRAGMA trusted_schema = OFF`);
    await withLockWaits(() => opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL'), waits);
    await withLockWaits(() => transact(opened, 'IMMEDIATE', () => applySchema(opened, schema, path)), waits);
    return createStoreDatabase(opened, waits);
  } catch (error) {
    database?.close();
    throw toStoreError(error, path);
  }
}

interface LockWaits {
  readonly clock: Clock;
  readonly lockTimeoutMs: number;
  readonly path: string;
}

function createStoreDatabase(database: DatabaseSync, waits: LockWaits): StoreDatabase {
  let isClosed = false;
  async function run<Result>(
    mode: Mode,
    action: (database: DatabaseSync) => Result,
    signal?: AbortSignal,
  ): Promise<Result> {
    try {
      return await withLockWaits(
        () => {
          if (isClosed) throw closedError(waits.path);
          return transact(database, mode, action);
        },
        waits,
        signal,
      );
    } catch (error) {
      throw toStoreError(error, waits.path);
    }
  }
  return {
    read: (action, signal) => run('DEFERRED', action, signal),
    write: (action, signal) => run('IMMEDIATE', action, signal),
    async [Symbol.asyncDispose]() {
      if (isClosed) return;
      isClosed = true;
      database.close();
    },
  };
}

type Mode = 'DEFERRED' | 'IMMEDIATE';

function transact<Result>(database: DatabaseSync, mode: Mode, action: (database: DatabaseSync) => Result): Result {
  database.exec(`BEGIN ${mode}`);
  try {
    const result = action(database);
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // Some failures, such as a full disk, have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Tries again while another process holds the lock: nothing has happened then. */
function withLockWaits<Result>(
  action: () => Result,
  { clock, lockTimeoutMs }: LockWaits,
  signal?: AbortSignal,
): Promise<Result> {
  const startedMs = clock.monotonicMs();
  return retry(async () => action(), {
    attempts: Number.POSITIVE_INFINITY,
    baseDelayMs: 20,
    maxDelayMs: 200,
    isRetryable: (error) => isBusy(error) && clock.monotonicMs() - startedMs < lockTimeoutMs,
    clock,
    signal,
  });
}

async function importSqlite(): Promise<typeof import('node:sqlite')> {
  try {
    return await import('node:sqlite');
  } catch (cause) {
    throw new ConfigError(`This version of Node has no SQLite: ${errorMessage(cause)}`, {
      code: 'config.missing-sqlite',
      hint: 'Use Node 22.19 or newer, or a store that keeps nothing on disk.',
      cause,
    });
  }
}

/** Makes the file for its owner alone: it holds what users said. SQLite gives its other files the same permissions. */
async function createFile(path: string): Promise<void> {
  try {
    await makeFolder(dirname(path), { mode: 0o700 });
    const file = await open(path, 'a', 0o600);
    await file.close();
  } catch (cause) {
    throw new StateError(`Cannot make ${path}: ${errorMessage(cause)}`, {
      code: 'state.not-writable',
      hint: 'Choose a file in a folder that this user may write to, or change its permissions.',
      cause,
    });
  }
}

function checkOptions(path: string, lockTimeoutMs: number): void {
  if (!isAbsolute(path) || path.includes('\0')) {
    throw new ConfigError(`The path of a store is not absolute: ${JSON.stringify(path)}`, {
      code: 'config.invalid',
      hint: 'Give the absolute path of a file.',
    });
  }
  if (!(lockTimeoutMs >= 0)) {
    throw new ConfigError(`lockTimeoutMs is ${lockTimeoutMs}`, { code: 'config.invalid', hint: 'Give 0 or more.' });
  }
}

function closedError(path: string): StateError {
  return new StateError(`The store in ${path} is closed`, {
    code: 'state.closed',
    hint: 'Close it after its last use.',
  });
}
