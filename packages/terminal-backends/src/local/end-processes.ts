import { type Clock, type Logger, systemErrorCode } from '@talaria/core';
import { isOrHolds } from './file-access.ts';
import { limitMarkOf } from './limit-mark.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/** Which processes are meant. */
export interface ProcessMark {
  /** All of one command. */
  readonly execId?: string | undefined;
  /** All of these sandboxes. */
  readonly sandboxIds?: readonly string[] | undefined;
  /** Leader of a session that has not been reaped yet, so that its number is still its own. */
  readonly leaderPid?: number | undefined;
  /** Absolute folders: also what shed its marks, has no terminal and works inside one of them. */
  readonly folders?: readonly string[] | undefined;
}

/** What ending processes needs. */
export interface EndProcessesOptions {
  readonly table: ProcessTable;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long they have between SIGTERM and SIGKILL, in milliseconds. */
  readonly graceMs: number;
}

/** How often what is born between a look and its kill is looked for again. */
const maxKillRounds = 20;
const killRoundMs = 10;
const maxPauseMs = 50;

/**
 * Ends every process that bears the mark or descends from one that does (spec/terminal-backends.md 1.4): SIGTERM, the
 * grace time, then SIGSTOP and SIGKILL until none is found. Gives those that are still there.
 */
export async function endProcesses(mark: ProcessMark, options: EndProcessesOptions): Promise<readonly ProcessEntry[]> {
  const { table, clock, logger, graceMs } = options;
  // Looked for before the first signal: children that bear no mark are found by their parents, which that may end.
  const targets = findMarked(await table.look(), mark);
  if (mark.leaderPid !== undefined) signalProcess(-mark.leaderPid, 'SIGTERM');
  for (const target of targets) signalProcess(target.pid, 'SIGTERM');
  let remaining = await waitForEnd(targets, mark, options);
  for (let round = 0; remaining.length > 0 && round < maxKillRounds; round += 1) {
    // Stopped first, so that none can start another while its siblings are being killed.
    for (const target of remaining) signalProcess(target.pid, 'SIGSTOP');
    for (const target of remaining) signalProcess(target.pid, 'SIGKILL');
    await clock.sleep(killRoundMs);
    remaining = findMarked(await table.look(), mark);
  }
  if (remaining.length > 0) {
    logger.warn('sandbox.processes-survived', { pids: remaining.map((target) => target.pid), graceMs });
  }
  return remaining;
}

/** Waits until nothing that is meant runs, or the grace time is over; gives what runs then, the newly found included. */
async function waitForEnd(
  targets: readonly ProcessEntry[],
  mark: ProcessMark,
  options: EndProcessesOptions,
): Promise<readonly ProcessEntry[]> {
  const { table, clock, graceMs } = options;
  const deadlineMs = clock.monotonicMs() + graceMs;
  const known = new Map(targets.map((target) => [target.pid, target]));
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    if (known.size > 0) await clock.sleep(pauseMs);
    const isLate = clock.monotonicMs() >= deadlineMs;
    if (!isLate && [...known.values()].some(table.isRunning)) continue;
    const marked = findMarked(await table.look(), mark);
    // Kept by number too: an orphan whose parent died in between can no longer be found by descent.
    const running = [...known.values()].filter(table.isRunning);
    const remaining = [...new Map([...running, ...marked].map((entry) => [entry.pid, entry])).values()];
    if (remaining.length === 0 || isLate) return remaining;
    for (const entry of marked) {
      if (!known.has(entry.pid)) signalProcess(entry.pid, 'SIGTERM');
      known.set(entry.pid, entry);
    }
  }
}

/** Processes that bear the mark, and all that descend from them. */
export function findMarked(entries: readonly ProcessEntry[], mark: ProcessMark): readonly ProcessEntry[] {
  const childrenOf = Map.groupBy(entries, (entry) => entry.parentPid);
  const found = new Map<number, ProcessEntry>();
  const limitMarks = new Set(mark.sandboxIds?.map(limitMarkOf));
  const pending = entries.filter((entry) => isMarked(entry, mark, limitMarks));
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    if (found.has(entry.pid) || entry.pid === process.pid) continue;
    found.set(entry.pid, entry);
    pending.push(...(childrenOf.get(entry.pid) ?? []));
  }
  return [...found.values()];
}

function isMarked(entry: ProcessEntry, mark: ProcessMark, limitMarks: ReadonlySet<string>): boolean {
  if (mark.leaderPid !== undefined && (entry.pid === mark.leaderPid || entry.groupId === mark.leaderPid)) return true;
  if (mark.execId !== undefined && entry.execId === mark.execId) return true;
  if (entry.sandboxId !== null) return mark.sandboxIds?.includes(entry.sandboxId) ?? false;
  if (entry.limitMark !== null && limitMarks.has(entry.limitMark)) return true;
  const { cwd } = entry;
  if (cwd === null || entry.hasTerminal) return false;
  return mark.folders?.some((folder) => isOrHolds(folder, cwd)) ?? false;
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = systemErrorCode(error);
    // Ended meanwhile, or not ours to signal: what stays is found and told of by the next look.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
