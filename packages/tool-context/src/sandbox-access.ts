import type { SandboxHandle, SandboxLease } from '@talaria/terminal-backends';

/** The way to the rollout's sandbox, which remembers who opened it. */
export interface SandboxAccess {
  /** The sandbox, opened now if it was not. */
  open(): Promise<SandboxHandle>;
  /** Runs something that may open the sandbox. */
  watch<Value>(action: () => Promise<Value>): Promise<Value>;
  /** Whether the sandbox was not open before something here used it. */
  readonly isOpenedHere: boolean;
}

/** Creates the way to a lease's sandbox. */
export function createSandboxAccess(lease: SandboxLease, signal: AbortSignal | undefined): SandboxAccess {
  let isOpenedHere = false;

  async function watch<Value>(action: () => Promise<Value>): Promise<Value> {
    const wasOpen = lease.opened !== undefined;
    try {
      return await action();
    } finally {
      if (!wasOpen && lease.opened !== undefined) isOpenedHere = true;
    }
  }

  return {
    watch,
    async open() {
      signal?.throwIfAborted();
      return lease.opened ?? (await watch(() => lease.open({ signal })));
    },
    get isOpenedHere() {
      return isOpenedHere;
    },
  };
}
