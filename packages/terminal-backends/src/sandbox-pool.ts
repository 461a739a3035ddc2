import {
  type Clock,
  createSemaphore,
  type Logger,
  mapConcurrent,
  SandboxError,
  settleWithin,
  silentLogger,
  systemClock,
} from '@talaria/core';
import type { SandboxSpec, TerminalBackend } from './backend.ts';
import { joinCreateRate } from './create-rate.ts';
import type { PlacedSandbox } from './placed-sandbox.ts';
import { createPlacedLease, type SandboxLease, type SandboxLeaseOptions } from './sandbox-lease.ts';
import { createWarmSandboxes, type WarmRequest } from './warm-sandboxes.ts';

/** Options of {@link createSandboxPool}. */
export interface SandboxPoolOptions {
  readonly backend: TerminalBackend;
  /** Most sandboxes that are open at the same time; further ones wait for their turn. @default 64 */
  readonly maxConcurrentSandboxes?: number | undefined;
  /** Most sandboxes that are being made at the same time. @default 8 */
  readonly maxConcurrentCreates?: number | undefined;
  /**
   * Most sandboxes that are begun in a second, evenly spread, by all pools of this process on the same backend; of pools
   * that differ, the strictest counts until it is disposed of.
   * @default what the backend can bear
   */
  readonly maxCreatesPerSecond?: number | undefined;
  /** Sandboxes that are held ready ahead of the tasks that will ask for just them. They count as open. @default none */
  readonly warm?: readonly WarmRequest[] | undefined;
  /** @default the system's clock */
  readonly clock?: Clock | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
}

/** Gives out leases on sandboxes of one backend within limits. Disposing ends every lease that is still held. */
export interface SandboxPool extends AsyncDisposable {
  readonly backend: TerminalBackend;
  /** A lease on a sandbox of its own. Its `open` waits, first come, first served, until the limits allow it. */
  lease(spec: SandboxSpec, options?: Omit<SandboxLeaseOptions, 'clock'>): SandboxLease;
  /** Sandboxes that are open or being made. */
  readonly activeCount: number;
  /** Sandboxes that were opened so far. */
  readonly createdCount: number;
  /** Milliseconds that opening one took on average, once it was its turn; 0 before the first. */
  readonly meanCreateMs: number;
}

const disposalsAtOnce = 16;
const maxDisposalMs = 30_000;

/** Creates a pool. */
export function createSandboxPool(options: SandboxPoolOptions): SandboxPool {
  const { backend, maxConcurrentSandboxes = 64, maxConcurrentCreates = 8 } = options;
  const { clock = systemClock, logger = silentLogger } = options;
  const places = createSemaphore(maxConcurrentSandboxes);
  const creations = createSemaphore(maxConcurrentCreates);
  const perSecond = options.maxCreatesPerSecond ?? backend.maxCreatesPerSecond ?? Number.POSITIVE_INFINITY;
  const rate = joinCreateRate(backend, perSecond, clock);
  const held = new Set<SandboxLease>();
  let createdCount = 0;
  let createMs = 0;
  let disposal: Promise<void> | undefined;

  async function dispose(): Promise<void> {
    await mapConcurrent([...held, warm], disposalsAtOnce, (lease) =>
      settleWithin(async () => lease[Symbol.asyncDispose](), maxDisposalMs, logger),
    );
    rate[Symbol.dispose]();
  }

  async function create(spec: SandboxSpec, place: Disposable, signal: AbortSignal): Promise<PlacedSandbox> {
    try {
      using _creation = await creations.acquire(signal);
      await rate.wait(signal);
      const startedAtMs = clock.monotonicMs();
      const sandbox = await backend.open(spec, { signal });
      createdCount += 1;
      createMs += clock.monotonicMs() - startedAtMs;
      return { sandbox, place };
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
  }

  const warm = createWarmSandboxes({
    requests: options.warm ?? [],
    async open(spec, signal) {
      const isFree = places.activeCount < places.limit && places.waitingCount === 0;
      return isFree ? await create(spec, await places.acquire(signal), signal) : null;
    },
    clock,
    logger,
  });

  async function openWithin(spec: SandboxSpec, signal: AbortSignal): Promise<PlacedSandbox> {
    const ready = await warm.take(spec);
    if (ready !== null) return ready;
    // What nobody asked for must not keep those waiting who did.
    if (places.activeCount >= places.limit) await warm.giveUpOne();
    return await create(spec, await places.acquire(signal), signal);
  }

  return {
    backend,
    lease(spec, leaseOptions) {
      if (disposal !== undefined) throw closedPool();
      const inner = createPlacedLease((signal) => openWithin(spec, signal), { ...leaseOptions, clock });
      const lease: SandboxLease = {
        open: (openOptions) => inner.open(openOptions),
        killAll: () => inner.killAll(),
        get opened() {
          return inner.opened;
        },
        async [Symbol.asyncDispose]() {
          await inner[Symbol.asyncDispose]();
          held.delete(lease);
        },
      };
      held.add(lease);
      return lease;
    },
    get activeCount() {
      return places.activeCount;
    },
    get createdCount() {
      return createdCount;
    },
    get meanCreateMs() {
      return createdCount === 0 ? 0 : createMs / createdCount;
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
