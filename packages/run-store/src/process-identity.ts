import { readFile } from 'node:fs/promises';
import { describeMachine, type Machine, systemErrorCode } from '@talaria/core';

/** Who a process is, so that another can tell later whether it still runs. Where a system does not say: `null`. */
export interface ProcessIdentity extends Machine {
  readonly pid: number;
  /** When it started, in clock ticks since boot: tells it from a later process with the same number. */
  readonly startTicks: string | null;
}

/** Whether a process still runs; `unknown` where it cannot be seen from here. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** The identity of this process. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const [processStat, machine] = await Promise.all([readProcessStat(process.pid), describeMachine()]);
  return { ...machine, pid: process.pid, startTicks: processStat?.startTicks ?? null };
}

/**
 * Whether `other` still runs, as seen by `self`. Machines may share a folder and a name: what ran before another boot is dead
 * only where the machine is known to be the same.
 */
export async function livenessOf(other: ProcessIdentity, self: ProcessIdentity): Promise<Liveness> {
  if (other.host !== self.host) return 'unknown';
  if (other.bootId !== self.bootId) {
    return other.machineId !== '' && other.machineId === self.machineId ? 'dead' : 'unknown';
  }
  if (other.pidNamespace !== self.pidNamespace) return 'unknown';
  if (!isRunning(other.pid)) return 'dead';
  const stat = await readProcessStat(other.pid);
  if (stat === null || other.startTicks === null) return 'alive';
  return stat.isFinished || stat.startTicks !== other.startTicks ? 'dead' : 'alive';
}

/** Signal 0 only asks. A process of another user answers with "not permitted", so it runs. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

interface ProcessStat {
  readonly startTicks: string;
  /** It has ended and only waits for its parent to notice. */
  readonly isFinished: boolean;
}

/** Linux only: the fields behind the program's name, which stands in parentheses and may hold anything. */
async function readProcessStat(pid: number): Promise<ProcessStat | null> {
  const text = await readOrNull(() => readFile(`/proc/${pid}/stat`, 'utf8'));
  if (text === null) return null;
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startTicks = fields[18];
  return startTicks === undefined ? null : { startTicks, isFinished: state === 'Z' || state === 'X' };
}

async function readOrNull(read: () => Promise<string>): Promise<string | null> {
  try {
    return await read();
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return null;
    throw error;
  }
}
