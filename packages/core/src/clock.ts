/** Time, as an argument. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that never goes back; only differences mean something. */
  monotonicMs(): number;
  /** Resolves after `durationMs`. Rejects with the signal's reason. Does not keep the process alive if `isBackground`. */
  sleep(durationMs: number, options?: SleepOptions): Promise<void>;
  /** Calls `action` once after `durationMs`, unless the returned function is called before. */
  schedule(durationMs: number, action: () => void): () => void;
}

/** Options of {@link Clock.sleep}. */
export interface SleepOptions {
  readonly signal?: AbortSignal | undefined;
  /** @default false */
  readonly isBackground?: boolean | undefined;
}

/** Longest delay that a Node timer can hold. */
const maxTimerMs = 2_147_483_647;

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep(durationMs, options = {}) {
    const { signal, isBackground = false } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
        Math.min(durationMs, maxTimerMs),
      );
      if (isBackground) timer.unref();
      function stop(): void {
        clearTimeout(timer);
        reject(signal?.reason);
      }
      signal?.addEventListener('abort', stop, { once: true });
    });
  },
  schedule(durationMs, action) {
    const timer = setTimeout(action, Math.min(durationMs, maxTimerMs));
    return () => clearTimeout(timer);
  },
};
