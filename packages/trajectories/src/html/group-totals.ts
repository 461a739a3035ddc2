import { type GroupLines, toShownGroup } from './shown-group.ts';

/** What stands at the top of a page of groups. */
export interface GroupTotals {
  readonly groups: number;
  readonly rollouts: number;
  /** Over what was scored; `null` where nothing was. */
  readonly meanReward: number | null;
}

/** Counts the groups of a file, one in memory at a time; lines that are none do not count. */
export async function countGroups(lines: GroupLines): Promise<GroupTotals> {
  let groups = 0;
  let rollouts = 0;
  let scored = 0;
  let sum = 0;
  for await (const line of lines) {
    const group = toShownGroup(line);
    if (group === null || typeof group === 'string') continue;
    groups += 1;
    rollouts += group.scores.length;
    for (const score of group.scores) {
      if (typeof score !== 'number') continue;
      scored += 1;
      sum += score;
    }
  }
  return { groups, rollouts, meanReward: scored === 0 ? null : sum / scored };
}
