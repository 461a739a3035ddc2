import type { Rollout } from '@talaria/trajectories';

/** Why a group is left out: its rollouts failed, the environment declared one invalid, or all scores are equal. */
export type RejectReason = 'failed' | 'invalid' | 'same_scores';

/** What becomes of a group. */
export type GroupJudgement =
  | { readonly isAccepted: true }
  | { readonly isAccepted: false; readonly reason: RejectReason };

/** Decides whether a group of finished rollouts is written. */
export function judgeGroup(
  rollouts: readonly Rollout[],
  options: { readonly ensureScoresDiffer: boolean },
): GroupJudgement {
  if (rollouts.some((rollout) => rollout.reward === null)) return { isAccepted: false, reason: 'failed' };
  if (rollouts.some((rollout) => rollout.isMasked)) return { isAccepted: false, reason: 'invalid' };
  const [first] = rollouts;
  const isSame = rollouts.every((rollout) => rollout.reward === first?.reward);
  return isSame && options.ensureScoresDiffer ? { isAccepted: false, reason: 'same_scores' } : { isAccepted: true };
}
