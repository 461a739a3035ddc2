import type { FieldDescription, Variables } from '@talaria/config';
import type { JsonObject } from '@talaria/core';
import type { BackendKind } from '@talaria/terminal-backends';
import type { Environment } from '../environment.ts';
import type { DriverName } from './run-config.ts';

/** Where a run's configuration comes from. */
export interface RunConfigSources<Item extends JsonObject, Config> {
  readonly environment: Environment<Item, Config>;
  readonly driver: DriverName;
  /** As the program finds them, those of a `.env` file included. */
  readonly variables: Variables;
  /** The text of the file named by `--config`. */
  readonly yaml?: { readonly text: string; readonly fileName: string } | undefined;
  /** Everything after the command. @default [] */
  readonly argv?: readonly string[] | undefined;
  /** Friendly flags beside those of {@link runFlagAliases}: `{ '--max-turns': 'env.max_agent_turns' }`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  /** Fields of the command itself, described by `describeFields(z.object({…}))`. */
  readonly ownFields?: readonly FieldDescription[] | undefined;
  /** Names of `TALARIA_…` variables that mean something else than a field. */
  readonly otherVariables?: readonly string[] | undefined;
  /** Warn of unknown keys rather than refuse them. @default false */
  readonly allowUnknown?: boolean | undefined;
  /** Defaults above the environment's, below variables and files: what the program itself prefers. */
  readonly programDefaults?: JsonObject | undefined;
  /** Backends that this program can open. @default all */
  readonly availableBackends?: readonly BackendKind[] | undefined;
}
