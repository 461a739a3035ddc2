import { addUsage, noUsage, type Usage } from '@talaria/core';
import type { Rollout } from '@talaria/trajectories';
import type { UsageMeter } from '../rollout/metered-model.ts';
import type { RolloutSummary } from '../rollout/rollout-summary.ts';
import type { RunProgress } from './run-progress.ts';

/** Counts a run while it goes on. */
export interface RolloutTally {
  readonly summaries: readonly RolloutSummary[];
  readonly meanReward: number | null;
  /** Everything that was asked for, failed attempts and judges included. */
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** A rollout began or ended without a record. */
  changeRunning(change: 1 | -1): void;
  /** An attempt is durable: its usage counts, whatever becomes of it. */
  countAttempt(rollout: Rollout): void;
  /** The last attempt of a sample is durable. */
  countSample(summary: RolloutSummary): void;
  /** Groups or items decided. */
  countItem(): void;
  /** Goes on to a later phase; never back to an earlier one. */
  setPhase(phase: RunProgress['phase']): void;
  setItemsTotal(total: number | null): void;
}

const phases: readonly RunProgress['phase'][] = ['setup', 'running', 'stopping', 'finishing'];

/** Creates a tally that tells of each change. */
export function createRolloutTally(meter: UsageMeter, onProgress: (progress: RunProgress) => void): RolloutTally {
  const summaries: RolloutSummary[] = [];
  let phase: RunProgress['phase'] = 'setup';
  let itemsDone = 0;
  let itemsTotal: number | null = null;
  let running = 0;
  let failed = 0;
  let scored = 0;
  let rewardSum = 0;
  let usage = noUsage;
  let costUsd: number | null = 0;

  const meanReward = (): number | null => (scored === 0 ? null : rewardSum / scored);
  const totalUsage = (): Usage => addUsage(usage, meter.usage);
  const totalCost = (): number | null => (costUsd === null || meter.costUsd === null ? null : costUsd + meter.costUsd);

  function tell(lastRollout: RolloutSummary | null): void {
    onProgress({
      phase,
      itemsDone,
      itemsTotal,
      rolloutsDone: summaries.length,
      rolloutsRunning: running,
      rolloutsFailed: failed,
      meanReward: meanReward(),
      usage: totalUsage(),
      costUsd: totalCost(),
      lastRollout,
    });
  }

  return {
    summaries,
    get meanReward() {
      return meanReward();
    },
    get usage() {
      return totalUsage();
    },
    get costUsd() {
      return totalCost();
    },
    changeRunning(change) {
      running += change;
      tell(null);
    },
    countAttempt(rollout) {
      usage = addUsage(usage, rollout.usage);
      costUsd = costUsd === null || rollout.costUsd === null ? null : costUsd + rollout.costUsd;
    },
    countSample(summary) {
      summaries.push(summary);
      if (summary.reward === null) failed += 1;
      else {
        scored += 1;
        rewardSum += summary.reward;
      }
      tell(summary);
    },
    countItem() {
      itemsDone += 1;
      tell(null);
    },
    setPhase(next) {
      if (phases.indexOf(next) <= phases.indexOf(phase)) return;
      phase = next;
      tell(null);
    },
    setItemsTotal(total) {
      itemsTotal = total;
      tell(null);
    },
  };
}
