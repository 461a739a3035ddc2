import type { Clock } from '@talaria/core';

/** What every call of a store takes last. */
export interface StoreCallOptions {
  /** Rejects with its reason; nothing was changed then. */
  readonly signal?: AbortSignal | undefined;
}

/** What the stores in a file of SQLite take. */
export interface SqliteStoreOptions {
  /** Absolute path of the file, which is made where it is missing; its folder, too. One file holds one store. */
  readonly path: string;
  /** How long a call waits for another process that writes, in milliseconds. @default 10_000 */
  readonly lockTimeoutMs?: number | undefined;
  /** @default the real clock */
  readonly clock?: Clock | undefined;
}
