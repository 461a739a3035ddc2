import type { RolloutSummary, RunProgress } from '@talaria/environments';
import { formatCost, formatCount, formatDuration, formatNumber, formatReward } from './format-quantity.ts';
import { oneLine } from './one-line.ts';

/** What the line needs beside the progress itself, to say how long the rest takes. */
export interface ProgressPace {
  /** Time since the first progress was heard. */
  readonly elapsedMs: number;
  /** Items that were done before that. */
  readonly itemsDoneBefore: number;
}

/** Where a run stands, in one line. */
export function describeProgress(progress: RunProgress, pace: ProgressPace): string {
  const { phase, itemsDone, itemsTotal, rolloutsDone, rolloutsRunning, rolloutsFailed, meanReward } = progress;
  const parts = [
    itemsTotal === null ? formatNumber(itemsDone, 'item') : `${itemsDone}/${itemsTotal} items`,
    `${formatNumber(rolloutsDone, 'rollout')} done`,
    `${rolloutsRunning} running`,
    ...(rolloutsFailed === 0 ? [] : [`${rolloutsFailed} failed`]),
    `mean reward ${formatReward(meanReward)}`,
    `${formatCount(progress.usage.total_tokens)} tokens`,
    formatCost(progress.costUsd),
  ];
  const remainingMs = estimateRemainingMs(progress, pace);
  if (remainingMs !== null) parts.push(`${formatDuration(remainingMs)} left`);
  return `${phase === 'running' ? '' : `${phase}: `}${parts.join(', ')}`;
}

/** One rollout that ended, in one line. */
export function describeRollout(rollout: RolloutSummary): string {
  const { label, sample, reward, turnsUsed, stopReason, failure } = rollout;
  const end = failure === null ? stopReason : `${failure.code}: ${failure.message}`;
  return `${oneLine(label)} #${sample}: reward ${formatReward(reward)}, ${formatNumber(turnsUsed, 'turn')}, ${oneLine(end)}`;
}

/** Time that the rest takes if it goes on like this; `null` while nothing is known. */
function estimateRemainingMs({ phase, itemsDone, itemsTotal }: RunProgress, pace: ProgressPace): number | null {
  const done = itemsDone - pace.itemsDoneBefore;
  if (phase !== 'running' || itemsTotal === null || done <= 0) return null;
  return (pace.elapsedMs / done) * Math.max(0, itemsTotal - itemsDone);
}
