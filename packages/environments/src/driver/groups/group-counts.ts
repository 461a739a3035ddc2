import type { GroupJudgement, RejectReason } from './group-judgement.ts';

/** What became of the groups of a run so far. */
export interface GroupCounts {
  readonly accepted: number;
  readonly rejected: Readonly<Partial<Record<RejectReason, number>>>;
  readonly rejectedTotal: number;
  /** Groups that were left out since the last one that was not. */
  readonly rejectedInARow: number;
  /** Groups whose rollouts failed since the last one whose did not. */
  readonly failedInARow: number;
  count(judgement: GroupJudgement): void;
}

/** Starts at zero. */
export function createGroupCounts(): GroupCounts {
  const rejected = new Map<RejectReason, number>();
  let accepted = 0;
  let rejectedTotal = 0;
  let rejectedInARow = 0;
  let failedInARow = 0;
  return {
    get accepted() {
      return accepted;
    },
    get rejected() {
      return Object.fromEntries(rejected);
    },
    get rejectedTotal() {
      return rejectedTotal;
    },
    get rejectedInARow() {
      return rejectedInARow;
    },
    get failedInARow() {
      return failedInARow;
    },
    count(judgement) {
      if (judgement.isAccepted) {
        accepted += 1;
        rejectedInARow = 0;
        failedInARow = 0;
        return;
      }
      const { reason } = judgement;
      rejected.set(reason, (rejected.get(reason) ?? 0) + 1);
      rejectedTotal += 1;
      rejectedInARow += 1;
      failedInARow = reason === 'failed' ? failedInARow + 1 : 0;
    },
  };
}

/** `1 failed, 2 same_scores`. */
export function describeRejected(counts: GroupCounts): string {
  return Object.entries(counts.rejected)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}
