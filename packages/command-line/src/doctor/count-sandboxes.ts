import { hostname } from 'node:os';
import { isJsonObject, type JsonObject, systemErrorCode } from '@talaria/core';
import { readLedgerRecords } from '../ledger-records.ts';

/** How many sandboxes a folder for state knows of, by what became of the run that opened them. */
export interface SandboxCounts {
  /** Of a run that still goes on. */
  readonly inUse: number;
  /** Of a run that has ended: the next run with the same backend removes them. */
  readonly leftover: number;
  /** Of another machine, or not to be read. */
  readonly unknown: number;
}

/** Every sandbox that was opened from this machine has an entry in the ledger, from before it is made until after it is gone. */
export async function countSandboxes(stateFolder: string): Promise<SandboxCounts> {
  const counts = { inUse: 0, leftover: 0, unknown: 0 };
  for (const record of await readLedgerRecords(stateFolder)) counts[useOf(record)] += 1;
  return counts;
}

function useOf(record: JsonObject | null): keyof SandboxCounts {
  const owner = record?.['owner'];
  if (!isJsonObject(owner) || owner['host'] !== hostname() || typeof owner['pid'] !== 'number') return 'unknown';
  return isRunning(owner['pid']) ? 'inUse' : 'leftover';
}

/** A later process with the same number counts as the owner: for a report that is close enough, for a sweep it is not. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}
