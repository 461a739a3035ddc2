import type { Clock } from '@talaria/core';

/** Spreads creations over time. */
export interface CreateRate {
  /** Waits for the next free moment. Rejects with the signal's reason. */
  wait(signal: AbortSignal): Promise<void>;
}

/** Creates one that lets `perSecond` pass in a second, evenly; `Infinity` lets all pass. */
export function createCreateRate(perSecond: number, clock: Clock): CreateRate {
  const intervalMs = 1_000 / perSecond;
  let nextAtMs = 0;
  return {
    async wait(signal) {
      signal.throwIfAborted();
      if (intervalMs === 0) return;
      const nowMs = clock.monotonicMs();
      const atMs = Math.max(nowMs, nextAtMs);
      nextAtMs = atMs + intervalMs;
      if (atMs > nowMs) await clock.sleep(atMs - nowMs, { signal });
    },
  };
}

const rates = new WeakMap<object, CreateRate>();

/** The rate that everything in this process shares which opens sandboxes of one backend. */
export function sharedCreateRate(backend: object, perSecond: number, clock: Clock): CreateRate {
  const known = rates.get(backend) ?? createCreateRate(perSecond, clock);
  rates.set(backend, known);
  return known;
}
