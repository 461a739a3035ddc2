import type { Sandbox, SandboxHandle } from './sandbox.ts';

/** A sandbox that is opened on first use and closed once, by whoever holds the lease. */
export interface SandboxLease extends AsyncDisposable {
  /** The sandbox; opened now if it was not. Concurrent first calls share one opening; a failed one may be tried again. */
  open(options?: { readonly signal?: AbortSignal | undefined }): Promise<SandboxHandle>;
  /** The sandbox if it is open. */
  readonly opened: SandboxHandle | undefined;
  /** Ends every process in it, if it is open. */
  killAll(): Promise<void>;
}

/** Creates a lease over a way to open a sandbox. After disposal `open` rejects with `sandbox.closed`. */
export function createSandboxLease(openSandbox: (signal: AbortSignal) => Promise<Sandbox>): SandboxLease {
  throw new Error(`not written: ${openSandbox.name}`);
}
