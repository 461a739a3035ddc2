/** What Linux tells of a process in `/proc/<pid>/stat`. */
export interface ProcStat {
  /** One letter; `Z` and `X` have ended. */
  readonly state: string;
  readonly parentPid: number;
  readonly groupId: number;
  readonly hasTerminal: boolean;
  /** Clock ticks since the boot: no second process with the same number shares them. */
  readonly startMark: string;
}

/** Reads such a file. Fields are counted from the last `)`, since a program's name may hold anything. */
export function parseProcStat(stat: string): ProcStat | null {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .trimEnd()
    .split(' ');
  const [state, parentPid, groupId, , terminal] = fields;
  const startMark = fields[19];
  if (state === undefined || startMark === undefined) return null;
  return { state, parentPid: Number(parentPid), groupId: Number(groupId), hasTerminal: terminal !== '0', startMark };
}
