import type { JsonObject, Usage } from '@talaria/core';
import type { RolloutSummary } from '../rollout/rollout-summary.ts';
import type { OpenRun } from './open-run.ts';

/** How a run ended; `partial` where something was dropped or failed, and the output is written all the same. */
export type RunOutcome = 'done' | 'partial' | 'failed' | 'interrupted';

/** What every driver tells at the end. */
export interface RunSummary {
  readonly environment: string;
  readonly model: string;
  readonly runId: string;
  readonly outcome: RunOutcome;
  /** One sentence where the outcome is not `done`. */
  readonly reason: string | null;
  /** In the order in which they ended; resumed ones first. The last attempt of each sample. */
  readonly rollouts: readonly RolloutSummary[];
  /** Over all scored rollouts; `null` where there is none. */
  readonly meanReward: number | null;
  readonly usage: Usage;
  /** US dollars; `null` as soon as one price is unknown. */
  readonly costUsd: number | null;
  readonly durationMs: number;
  /** Absolute folder with manifest and journal. */
  readonly runFolder: string;
}

/** What every driver tells of a run that is over. */
export function summariseRun<Item extends JsonObject, Config>(
  { scope, startedAtMs }: OpenRun<Item, Config>,
  outcome: RunOutcome,
  reason: string | null,
): RunSummary {
  const { environment, modelName, folder, tally, clock } = scope;
  return {
    environment: environment.name,
    model: modelName,
    runId: folder.runId,
    outcome,
    reason,
    rollouts: tally.summaries,
    meanReward: tally.meanReward,
    usage: tally.usage,
    costUsd: tally.costUsd,
    durationMs: clock.monotonicMs() - startedAtMs,
    runFolder: folder.path,
  };
}
