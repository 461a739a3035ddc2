import { type Clock, type Logger, systemErrorCode } from '@talaria/core';
import { type ListedProcess, listProcesses } from './process-list.ts';

/** What {@link createProcessTree} needs. */
export interface ProcessTreeOptions {
  /** A process that was started as the leader of a session of its own. */
  readonly leaderPid: number;
  readonly platform: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A process and all that it started. */
export interface ProcessTree {
  /** Remembers those that run now, so that they are found even after their parents have ended. */
  note(): Promise<void>;
  /** Ends all: SIGTERM, at most `graceMs` of time, SIGKILL. Resolves when none runs, or when none can be ended. */
  end(graceMs: number): Promise<void>;
}

const maxKillRounds = 20;
const lookPauseMs = 20;

/**
 * Watches the tree of a process: what is in its session, and what descends from it. One that left the session and whose
 * parents had ended before anybody looked is not found.
 */
export function createProcessTree({ leaderPid, platform, clock, logger }: ProcessTreeOptions): ProcessTree {
  const known = new Map<number, ListedProcess>();

  async function look(): Promise<readonly ListedProcess[]> {
    const all = await listProcesses(platform);
    const found = findTree(all, leaderPid, known);
    for (const entry of found) known.set(entry.pid, entry);
    return found;
  }

  return {
    async note() {
      await look();
    },
    async end(graceMs) {
      let running = await look();
      for (const { pid } of running) sendSignal(pid, 'SIGTERM');
      const deadlineMs = clock.monotonicMs() + graceMs;
      while (running.length > 0 && clock.monotonicMs() < deadlineMs) {
        await clock.sleep(lookPauseMs);
        running = await look();
      }
      for (let round = 0; running.length > 0 && round < maxKillRounds; round += 1) {
        // Stopped first, so that none can start another while its siblings are being killed.
        for (const { pid } of running) sendSignal(pid, 'SIGSTOP');
        for (const { pid } of running) sendSignal(pid, 'SIGKILL');
        await clock.sleep(lookPauseMs);
        running = await look();
      }
      if (running.length > 0) logger.warn('mcp.processes-survived', { pids: running.map(({ pid }) => pid) });
    },
  };
}

function findTree(
  all: readonly ListedProcess[],
  leaderPid: number,
  known: ReadonlyMap<number, ListedProcess>,
): readonly ListedProcess[] {
  const childrenOf = Map.groupBy(all, (entry) => entry.parentPid);
  const isMeant = (entry: ListedProcess): boolean =>
    entry.pid === leaderPid ||
    entry.groupId === leaderPid ||
    entry.sessionId === leaderPid ||
    known.get(entry.pid)?.startMark === entry.startMark;
  const found = new Map<number, ListedProcess>();
  const pending = all.filter(isMeant);
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    if (found.has(entry.pid) || entry.pid === process.pid) continue;
    found.set(entry.pid, entry);
    pending.push(...(childrenOf.get(entry.pid) ?? []));
  }
  return [...found.values()];
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = systemErrorCode(error);
    // Ended meanwhile, or not ours to signal: what stays is found by the next look.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
