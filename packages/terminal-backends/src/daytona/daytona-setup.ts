import type { Clock, CreateId, Logger } from '@talaria/core';
import type { SandboxLedger } from '../ledger/sandbox-ledger.ts';
import type { EnvironmentSource } from '../sandbox-environment.ts';
import type { ConnectDaytona } from './daytona-connection.ts';
import type { DaytonaBackendOptions } from './daytona-options.ts';

/** What all sandboxes of one daytona backend share. */
export interface DaytonaSetup {
  readonly options: DaytonaBackendOptions;
  readonly connect: ConnectDaytona;
  readonly ledger: SandboxLedger;
  /** Variables of the host that may be handed on. */
  readonly source: EnvironmentSource;
  readonly killGraceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly createId: CreateId;
}
