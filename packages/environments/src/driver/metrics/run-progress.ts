import type { Usage } from '@talaria/core';
import type { RolloutSummary } from '../rollout/rollout-summary.ts';

/** Where a run stands. */
export interface RunProgress {
  /**
   * `setup`, then `running`; `stopping` once the run was asked to stop, or gave up, and what runs comes to its end;
   * `finishing` while outputs are completed.
   */
  readonly phase: 'setup' | 'running' | 'stopping' | 'finishing';
  /** Groups, or items of an evaluation, that are decided. */
  readonly itemsDone: number;
  /** `null` where nobody knows. */
  readonly itemsTotal: number | null;
  /** Rollouts done in all, resumed ones included. */
  readonly rolloutsDone: number;
  readonly rolloutsRunning: number;
  /** Rollouts that could not be scored. */
  readonly rolloutsFailed: number;
  /** Over all scored rollouts so far; `null` where there is none. */
  readonly meanReward: number | null;
  readonly usage: Usage;
  /** US dollars; `null` as soon as one price is unknown. */
  readonly costUsd: number | null;
  /** The rollout that just ended, where that is what changed. */
  readonly lastRollout: RolloutSummary | null;
}
