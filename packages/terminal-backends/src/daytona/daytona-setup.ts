import type { BackendSetup } from '../backend-setup.ts';
import type { ConnectDaytona } from './daytona-connection.ts';
import type { DaytonaBackendOptions } from './daytona-options.ts';

/** What all sandboxes of one daytona backend share. */
export interface DaytonaSetup extends BackendSetup {
  readonly options: DaytonaBackendOptions;
  readonly connect: ConnectDaytona;
}
