import type { Clock, CreateId, Logger } from '@talaria/core';

/** Options of every backend whose sandboxes are made by something else, which no other machine needs to know of. */
export interface BackendOptions {
  /** Absolute folder for the ledger of sandboxes. Processes and backends may share it. Made if it is not there. */
  readonly stateFolder: string;
  /** Variables of this machine; a sandbox gets those that `passthrough` names. */
  readonly environment: Readonly<Record<string, string | undefined>>;

  /** Variables with their values for every sandbox. @default none */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Names of variables of this machine to hand on. @default none */
  readonly passthrough?: readonly string[] | undefined;
  /** Names in `passthrough` that look like secrets and are meant all the same. @default none */
  readonly allowSecretEnv?: readonly string[] | undefined;

  /** Time between SIGTERM and SIGKILL, in milliseconds. @default 2_000 */
  readonly killGraceMs?: number | undefined;
  /** @default the system's clock */
  readonly clock?: Clock | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** Makes the last part of the names of sandboxes. @default random */
  readonly createId?: CreateId | undefined;
}
