import type { Clock } from '@talaria/core';

/** What a run is stopped by from within, rather than by its caller. */
export class RunStopped extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'RunStopped';
  }
}

/** The two signals that everything in a run obeys, and who aborts them. Dispose of it at the end of the run. */
export interface StopPlan extends Disposable {
  /** Aborted at the first wish to stop: nothing new begins, conversations end. */
  readonly workSignal: AbortSignal;
  /** Aborted when the time for draining is over, or at the second wish: rewards end. */
  readonly rewardSignal: AbortSignal;
  /** Whether the caller asked to stop. */
  readonly isInterrupted: boolean;
  /** Stops from within, as if the caller had asked. */
  stop(reason: string): void;
}

/** What {@link openStopPlan} needs. */
export interface StopPlanOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly forceSignal: AbortSignal | undefined;
  /** Time that rewards get after the first wish to stop. */
  readonly drainTimeoutMs: number;
}

/** Watches the caller's signals. */
export function openStopPlan(options: StopPlanOptions): StopPlan {
  const { clock, signal, forceSignal, drainTimeoutMs } = options;
  const work = new AbortController();
  const reward = new AbortController();
  let cancelDrain: (() => void) | undefined;
  let isInterrupted = false;

  function beginStop(reason: unknown): void {
    if (work.signal.aborted) return;
    work.abort(reason);
    cancelDrain = clock.schedule(drainTimeoutMs, () => reward.abort(reason));
  }

  function hearFirst(): void {
    isInterrupted = true;
    beginStop(signal?.reason);
  }

  function hearSecond(): void {
    isInterrupted = true;
    beginStop(forceSignal?.reason);
    reward.abort(forceSignal?.reason);
  }

  listen(signal, hearFirst);
  listen(forceSignal, hearSecond);
  return {
    workSignal: work.signal,
    rewardSignal: reward.signal,
    get isInterrupted() {
      return isInterrupted;
    },
    stop: (reason) => beginStop(new RunStopped(reason)),
    [Symbol.dispose]() {
      cancelDrain?.();
      signal?.removeEventListener('abort', hearFirst);
      forceSignal?.removeEventListener('abort', hearSecond);
    },
  };
}

function listen(signal: AbortSignal | undefined, hear: () => void): void {
  if (signal?.aborted) hear();
  else signal?.addEventListener('abort', hear, { once: true });
}
