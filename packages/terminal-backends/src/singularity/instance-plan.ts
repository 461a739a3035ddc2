import type { SandboxSpec } from '../backend.ts';
import type { SandboxOwner } from '../ledger/sandbox-owner.ts';
import type { Privileges } from './privileges.ts';

/** What an instance is started from. */
export interface InstancePlan {
  readonly name: string;
  readonly spec: SandboxSpec;
  /** Path of a `.sif` file or of an unpacked image. */
  readonly image: string;
  /** Folder of the sandbox on this machine. */
  readonly folder: string;
  /** It was started before, and has the files that it had. @default false */
  readonly isAgain?: boolean | undefined;
}

/** An instance that runs. */
export interface RunningInstance {
  /** Its first process, by which can be told whether it still lives. */
  readonly first: SandboxOwner;
  readonly privileges: Privileges;
  readonly hasLimits: boolean;
}
