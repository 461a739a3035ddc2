import type { CommandRunner } from './command-runner.ts';
import type { CommandShell } from './direct-runner.ts';
import type { Killer } from './killer.ts';
import type { RemoteTools } from './remote-tools.ts';
import type { SandboxTransport } from './transport.ts';

/** Where the commands of one remote sandbox run, and with what. */
export interface RemotePlace {
  readonly sandboxId: string;
  readonly limitMark: string | null;
  readonly transport: SandboxTransport;
  readonly runner: CommandRunner;
  /** `sh` where the sandbox has no bash: no state survives then. */
  readonly shell: CommandShell;
  readonly killer: Killer;
  readonly defaultTimeoutMs: number;
  readonly tools: RemoteTools;
  /** Makes a path absolute. */
  readonly resolvePath: (path: string) => Promise<string>;
}
