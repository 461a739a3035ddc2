import type { Clock, Logger } from '@talaria/core';

/** What all sandboxes of one remote backend share. */
export interface RemoteTools {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Between SIGTERM and SIGKILL. */
  readonly killGraceMs: number;
}
