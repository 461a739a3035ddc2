import type { OwnerState, SandboxOwner } from './ledger/sandbox-owner.ts';
import type { BackendKind, Sandbox, SandboxCapabilities } from './sandbox.ts';

/** What a sandbox is to be. Resolved once per task, then fixed. */
export interface SandboxSpec {
  /** Names the task in labels, ledgers and folder names. */
  readonly taskId: string;
  /** Container image; means something only where `capabilities.images`. */
  readonly image?: string | undefined;
  /** Start folder, absolute inside the sandbox. @default the home folder */
  readonly cwd?: string | undefined;
  /** Variables for every command, beside the allowed ones. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Per command, where the call names none. @default 120_000 */
  readonly defaultTimeoutMs?: number | undefined;
  /** Hard maximum of the sandbox's life. @default 3_600_000 */
  readonly maxLifetimeMs?: number | undefined;
  /** Whether programs inside may reach the network, where the backend can say. */
  readonly allowNetwork?: boolean | undefined;
  readonly cpus?: number | undefined;
  readonly memoryMiB?: number | undefined;
  readonly diskMiB?: number | undefined;
}

/** What {@link TerminalBackend.sweep} did. */
export interface SweepReport {
  /** Names of the leftovers that were removed. */
  readonly removed: readonly string[];
  /** Leftovers that could not be removed, with the reason. */
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

/** What {@link TerminalBackend.list} tells of a sandbox. */
export interface SandboxListing {
  readonly id: string;
  readonly backend: BackendKind;
  readonly taskId: string;
  /** Process that opened it; `null` where it cannot be told. */
  readonly owner: SandboxOwner | null;
  /** Whether that still lives; `unknown` where it is of another machine or process space. */
  readonly ownerState: OwnerState;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When its life ends at the latest, in milliseconds since 1970; `null` where it cannot be told. */
  readonly expiresAt: number | null;
  /** The provider's own word for how it is, for example `running`. */
  readonly state: string;
}

/** Where sandboxes come from. */
export interface TerminalBackend {
  readonly kind: BackendKind;
  readonly capabilities: SandboxCapabilities;
  /** How many sandboxes its provider lets begin in a second. @default any number */
  readonly maxCreatesPerSecond?: number | undefined;
  /**
   * Opens a sandbox. When it fails or the signal is aborted, nothing is left behind.
   * @throws SandboxError phase `create`; ConfigError `config.missing-program` where something is not installed
   */
  open(spec: SandboxSpec, options?: { readonly signal?: AbortSignal | undefined }): Promise<Sandbox>;
  /** Removes what runs that no longer live left on this machine. Never touches what a live process owns. */
  sweep(options?: { readonly signal?: AbortSignal | undefined }): Promise<SweepReport>;
  /** Tells of every sandbox that can be seen from here, whoever opened it. */
  list?(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly SandboxListing[]>;
  /**
   * Removes a sandbox that {@link TerminalBackend.list} told of, whoever owns it, with everything that runs in it; says
   * whether it was there. Whoever uses it loses it. Where it cannot be removed, the promise rejects.
   */
  remove?(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<boolean>;
  /** Proves that sandboxes can be opened: programs, credentials, daemons. @throws ConfigError with a hint */
  preflight(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}
