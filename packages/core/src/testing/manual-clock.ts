import type { Clock } from '../clock.ts';

/** A clock that moves only when told to. */
export interface ManualClock extends Clock {
  /** Moves time forward, running what becomes due in order, and lets promises settle in between. */
  advance(durationMs: number): Promise<void>;
  /** Timers that have not run yet. */
  readonly pendingCount: number;
}

interface Timer {
  readonly dueMs: number;
  readonly action: () => void;
}

/** Creates a clock that stands at `startMs` (milliseconds since 1970). @default 2026-01-01T00:00:00Z */
export function createManualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();

  function add(durationMs: number, action: () => void): () => void {
    const timer: Timer = { dueMs: nowMs + durationMs, action };
    timers.add(timer);
    return () => timers.delete(timer);
  }

  return {
    now: () => nowMs,
    monotonicMs: () => nowMs - startMs,
    sleep(durationMs, options = {}) {
      const { signal } = options;
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const cancel = add(durationMs, () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        });
        function stop(): void {
          cancel();
          reject(signal?.reason);
        }
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
    schedule: add,
    async advance(durationMs) {
      const endMs = nowMs + durationMs;
      await settle();
      for (let timer = nextDue(timers, endMs); timer !== undefined; timer = nextDue(timers, endMs)) {
        timers.delete(timer);
        nowMs = timer.dueMs;
        timer.action();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
    get pendingCount() {
      return timers.size;
    },
  };
}

function nextDue(timers: ReadonlySet<Timer>, endMs: number): Timer | undefined {
  let next: Timer | undefined;
  for (const timer of timers) {
    if (timer.dueMs <= endMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
  }
  return next;
}

/** Lets everything that is ready run, promise chains included. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
