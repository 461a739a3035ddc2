import type { Semaphore } from '@talaria/core';
import type { BackendSetup } from '../backend-setup.ts';
import type { SharedWork } from '../shared-work.ts';
import type { Way } from './instance-ways.ts';
import type { ProgramResult } from './run-program.ts';
import type { SingularityBackendOptions } from './singularity-options.ts';

/** What the first sandbox has found out about this machine. */
export interface MachineFindings {
  /** How sandboxes can be started here, by what they need; `null` before one was. */
  readonly ways: { anyDisk: Way | null; limitedDisk: Way | null };
  /** One looks for a way at a time. */
  readonly search: Semaphore;
  /** Limits cannot be set here. */
  lacksLimits: boolean;
}

/** How a call of the program differs from others. */
export interface CallOptions {
  readonly timeoutMs: number;
  /** It builds an image: then it gets what it reaches registries with, and a folder for what it unpacks. */
  readonly build?: { readonly temporaryFolder: string } | undefined;
  /** @default '/' */
  readonly cwd?: string | undefined;
  /** Hears each line that it writes, as it writes it; it must not throw. */
  readonly onLine?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What all sandboxes of one backend share. */
export interface SingularitySetup extends BackendSetup {
  readonly options: SingularityBackendOptions;
  /** Path of the program. @throws ConfigError `config.missing-program` */
  readonly findProgram: () => string;
  /** Variables of the program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs it to its end. */
  readonly call: (args: readonly string[], options: CallOptions) => Promise<ProgramResult>;
  readonly builds: SharedWork<string>;
  readonly findings: MachineFindings;
  /** Folder of one sandbox. */
  readonly folderOf: (id: string) => string;
  readonly cacheFolder: string;
}
