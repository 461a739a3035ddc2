import type { Failure, StopReason, Usage } from '@talaria/core';

/** One rollout in a few numbers: a row of a score table. */
export interface RolloutSummary {
  readonly rolloutId: string;
  readonly itemKey: string;
  /** Short name of the item. */
  readonly label: string;
  readonly groupIndex: number;
  /** 0-based position in the group. */
  readonly sample: number;
  readonly attempt: number;
  /** `null` where it was not scored. */
  readonly reward: number | null;
  readonly rewardParts: Readonly<Record<string, number>>;
  /** `false`: left out of training and of the rates. */
  readonly isValid: boolean;
  readonly turnsUsed: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  readonly stopReason: StopReason;
  readonly failure: Failure | null;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly durationMs: number;
  /** Whether it was made by an earlier part of the run. */
  readonly isResumed: boolean;
}
