import type { JsonObject } from '@talaria/core';
import type { DriverName, Environment } from '@talaria/environments';

/** A command on an environment that is there already. */
export interface EnvironmentCommand<Item extends JsonObject, Config> {
  readonly environment: Environment<Item, Config>;
  readonly driver: DriverName;
  /** Flags, without the command and the environment's name. */
  readonly args: readonly string[];
  /** What a user types before the flags, for help. */
  readonly usage: string;
}
