import type { Clock } from '@talaria/core';

/** Spreads creations over time. Disposing of it takes its limit away. */
export interface CreateRate extends Disposable {
  /** Waits for the next free moment. Rejects with the signal's reason. */
  wait(signal: AbortSignal): Promise<void>;
}

/** What everything shares that opens sandboxes of one backend. */
interface SharedRate {
  readonly limits: Set<{ readonly perSecond: number }>;
  /** When the last creation began, or is to begin, of those that have asked. */
  lastMs: number;
}

const rates = new WeakMap<object, SharedRate>();

/**
 * Joins the rate that everything in this process shares which opens sandboxes of one backend. Of all limits that were
 * joined with and not yet disposed of, the strictest counts; creations are spread evenly. `Infinity` is no limit.
 */
export function joinCreateRate(backend: object, perSecond: number, clock: Clock): CreateRate {
  const shared = rates.get(backend) ?? { limits: new Set(), lastMs: Number.NEGATIVE_INFINITY };
  rates.set(backend, shared);
  const own = { perSecond };
  shared.limits.add(own);
  return {
    async wait(signal) {
      signal.throwIfAborted();
      const nowMs = clock.monotonicMs();
      const intervalMs = 1_000 / Math.min(...Array.from(shared.limits, (limit) => limit.perSecond));
      const atMs = Math.max(nowMs, shared.lastMs + intervalMs);
      shared.lastMs = atMs;
      if (atMs > nowMs) await clock.sleep(atMs - nowMs, { signal });
    },
    [Symbol.dispose]() {
      shared.limits.delete(own);
    },
  };
}
