import { createSemaphore, type Logger, mapConcurrent, SandboxError, settleWithin, silentLogger } from '@talaria/core';
import type { SandboxSpec, TerminalBackend } from './backend.ts';
import type { Sandbox } from './sandbox.ts';
import { createSandboxLease, type SandboxLease } from './sandbox-lease.ts';

/** Options of {@link createSandboxPool}. */
export interface SandboxPoolOptions {
  readonly backend: TerminalBackend;
  /** Most sandboxes that are open at the same time; further ones wait for their turn. @default 64 */
  readonly maxConcurrentSandboxes?: number | undefined;
  /** Most sandboxes that are being made at the same time. @default 8 */
  readonly maxConcurrentCreates?: number | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
}

/** Gives out leases on sandboxes of one backend within limits. Disposing ends every lease that is still held. */
export interface SandboxPool extends AsyncDisposable {
  readonly backend: TerminalBackend;
  /** A lease on a sandbox of its own. Its `open` waits, first come, first served, until the limits allow it. */
  lease(spec: SandboxSpec): SandboxLease;
  /** Sandboxes that are open or being made. */
  readonly activeCount: number;
}

const disposalsAtOnce = 16;
const maxDisposalMs = 30_000;

/** Creates a pool. */
export function createSandboxPool(options: SandboxPoolOptions): SandboxPool {
  const { backend, maxConcurrentSandboxes = 64, maxConcurrentCreates = 8, logger = silentLogger } = options;
  const places = createSemaphore(maxConcurrentSandboxes);
  const creations = createSemaphore(maxConcurrentCreates);
  const held = new Set<SandboxLease>();
  let disposal: Promise<void> | undefined;

  async function dispose(): Promise<void> {
    await mapConcurrent([...held], disposalsAtOnce, (lease) =>
      settleWithin(async () => lease[Symbol.asyncDispose](), maxDisposalMs, logger),
    );
  }

  /** The place is kept until the sandbox is gone, not only until nobody uses it. */
  async function openWithin(
    spec: SandboxSpec,
    signal: AbortSignal,
    keep: (place: Disposable) => void,
  ): Promise<Sandbox> {
    const place = await places.acquire(signal);
    try {
      using _creation = await creations.acquire(signal);
      const sandbox = await backend.open(spec, { signal });
      keep(place);
      return sandbox;
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
  }

  return {
    backend,
    lease(spec) {
      if (disposal !== undefined) throw closedPool();
      let place: Disposable | undefined;
      const inner = createSandboxLease((signal) =>
        openWithin(spec, signal, (taken) => {
          // Of an opening that was given up at the last moment, whose sandbox the lease has discarded.
          place?.[Symbol.dispose]();
          place = taken;
        }),
      );
      const lease: SandboxLease = {
        open: (openOptions) => inner.open(openOptions),
        killAll: () => inner.killAll(),
        get opened() {
          return inner.opened;
        },
        async [Symbol.asyncDispose]() {
          await inner[Symbol.asyncDispose]();
          place?.[Symbol.dispose]();
          held.delete(lease);
        },
      };
      held.add(lease);
      return lease;
    },
    get activeCount() {
      return places.activeCount;
    },
    [Symbol.asyncDispose]() {
      disposal ??= dispose();
      return disposal;
    },
  };
}

function closedPool(): SandboxError {
  return new SandboxError('The pool of sandboxes is closed', {
    code: 'sandbox.closed',
    backend: 'pool',
    phase: 'create',
    started: false,
    hint: 'Take leases before the pool is disposed of.',
  });
}
