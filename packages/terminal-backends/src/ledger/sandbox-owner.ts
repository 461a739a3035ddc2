import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import {
  describeMachine,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Machine,
  systemErrorCode,
} from '@talaria/core';
import { parseProcStat } from './proc-stat.ts';

/** Whose a sandbox is: one process, on one machine, since one boot. */
export interface SandboxOwner {
  readonly host: string;
  /** Changes with every boot; `''` where the system has none. */
  readonly bootId: string;
  /** Names the space in which process numbers are unique; `''` where the system has one only. */
  readonly pidNamespace: string;
  /** Stays the same from boot to boot. @default nothing tells the machine from others with its name */
  readonly machineId?: string | undefined;
  readonly pid: number;
  /** Tells the process from a later one with the same number. */
  readonly startMark: string;
}

/** Describes a running process of this machine as an owner. */
export async function describeOwner(pid: number): Promise<SandboxOwner> {
  return { ...(await describeMachine()), pid, startMark: (await readStartMark(pid)) ?? '' };
}

/** Reads what {@link describeOwner} gave, after it was JSON; `null` for anything else. */
export function parseOwner(value: JsonValue | undefined): SandboxOwner | null {
  if (value === undefined || !isJsonObject(value)) return null;
  const { host, bootId, pidNamespace, machineId, pid, startMark }: JsonObject = value;
  if (typeof host !== 'string' || typeof bootId !== 'string' || typeof pidNamespace !== 'string') return null;
  if (typeof pid !== 'number' || typeof startMark !== 'string') return null;
  return { host, bootId, pidNamespace, ...(typeof machineId === 'string' && { machineId }), pid, startMark };
}

/** What can be said about an owner from here. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

/**
 * Whether the owner of something that lies on this machine still lives; `unknown` where it is of another machine or
 * process space. Machines may share a folder and a name: before the last boot is dead only where the machine is known.
 */
export async function judgeOwner(owner: SandboxOwner, here?: Machine): Promise<OwnerState> {
  const machine = here ?? (await describeMachine());
  if (owner.host !== machine.host) return 'unknown';
  if (owner.bootId !== machine.bootId) return isSameMachine(owner, machine) ? 'dead' : 'unknown';
  return await judgeProcess(owner, machine);
}

/**
 * Whether the owner of something still lives that lies where several machines may look after it: at a service, on a
 * server, in an engine. Two of them may have the same name, and copies of one machine the same number: before this one's
 * last boot, or on another machine, are the same from here, and so is everything where boots cannot be told apart.
 */
export async function judgeSharedOwner(owner: SandboxOwner, here?: Machine): Promise<OwnerState> {
  const machine = here ?? (await describeMachine());
  if (owner.host !== machine.host || owner.bootId !== machine.bootId) return 'unknown';
  const state = await judgeProcess(owner, machine);
  return machine.bootId === '' && state === 'dead' ? 'unknown' : state;
}

function isSameMachine({ machineId }: SandboxOwner, here: Machine): boolean {
  return machineId !== undefined && machineId !== '' && machineId === here.machineId;
}

async function judgeProcess(owner: SandboxOwner, { pidNamespace }: Machine): Promise<OwnerState> {
  if (owner.pidNamespace !== pidNamespace) return 'unknown';
  return (await readStartMark(owner.pid)) === owner.startMark ? 'alive' : 'dead';
}

/** The process that started another one; `null` where that does not run, or the system does not tell. */
export async function readParentPid(pid: number): Promise<number | null> {
  return parseProcStat(await textOrEmpty(readFile(`/proc/${pid}/stat`, 'latin1')))?.parentPid ?? null;
}

/** Whether a process of this machine runs. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await readStartMark(pid)) !== null;
}

const runFile = promisify(execFile);

/** When a process started; `null` where it does not run. A zombie has ended. */
async function readStartMark(pid: number): Promise<string | null> {
  const stat = await textOrEmpty(readFile(`/proc/${pid}/stat`, 'latin1'));
  if (stat !== '') {
    const facts = parseProcStat(stat);
    return facts === null || facts.state === 'Z' || facts.state === 'X' ? null : facts.startMark;
  }
  if ((await textOrEmpty(readFile('/proc/self/stat', 'latin1'))) !== '') return null;
  const listed = await runFile('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return listed.stdout.trim() || null;
}

/** What a system does not tell is `''`. */
function textOrEmpty(text: Promise<string>): Promise<string> {
  return text.catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  });
}
