import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { contentHash, isJsonObject, type JsonObject, type JsonValue, systemErrorCode } from '@talaria/core';
import { parseProcStat } from './proc-stat.ts';

/** Whose a sandbox is: one process, on one machine, since one boot. */
export interface SandboxOwner {
  readonly host: string;
  /** Changes with every boot; `''` where the system has none. */
  readonly bootId: string;
  /** Names the space in which process numbers are unique; `''` where the system has one only. */
  readonly pidNamespace: string;
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
  const { host, bootId, pidNamespace, pid, startMark }: JsonObject = value;
  if (typeof host !== 'string' || typeof bootId !== 'string' || typeof pidNamespace !== 'string') return null;
  if (typeof pid !== 'number' || typeof startMark !== 'string') return null;
  return { host, bootId, pidNamespace, pid, startMark };
}

/** What can be said about an owner from here. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

/** Whether an owner still lives; `unknown` where it is of another machine or process space. */
export async function judgeOwner(owner: SandboxOwner): Promise<OwnerState> {
  const machine = await describeMachine();
  if (owner.host !== machine.host) return 'unknown';
  if (owner.bootId !== machine.bootId) return 'dead';
  if (owner.pidNamespace !== machine.pidNamespace) return 'unknown';
  return (await readStartMark(owner.pid)) === owner.startMark ? 'alive' : 'dead';
}

/** Short text that no other machine, boot or process space shares. */
export async function machineMark(): Promise<string> {
  return contentHash({ ...(await describeMachine()) }).slice(0, 16);
}

/** The process that started another one; `null` where that does not run, or the system does not tell. */
export async function readParentPid(pid: number): Promise<number | null> {
  return parseProcStat(await orEmpty(readFile(`/proc/${pid}/stat`, 'latin1')))?.parentPid ?? null;
}

/** Whether a process of this machine runs. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await readStartMark(pid)) !== null;
}

async function describeMachine(): Promise<Pick<SandboxOwner, 'host' | 'bootId' | 'pidNamespace'>> {
  return {
    host: hostname(),
    bootId: (await orEmpty(readFile('/proc/sys/kernel/random/boot_id', 'utf8'))).trim(),
    pidNamespace: await orEmpty(readlink('/proc/self/ns/pid')),
  };
}

const runFile = promisify(execFile);

/** When a process started; `null` where it does not run. A zombie has ended. */
async function readStartMark(pid: number): Promise<string | null> {
  const stat = await orEmpty(readFile(`/proc/${pid}/stat`, 'latin1'));
  if (stat !== '') {
    const facts = parseProcStat(stat);
    return facts === null || facts.state === 'Z' || facts.state === 'X' ? null : facts.startMark;
  }
  if ((await orEmpty(readFile('/proc/self/stat', 'latin1'))) !== '') return null;
  const listed = await runFile('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return listed.stdout.trim() || null;
}

function orEmpty(text: Promise<string>): Promise<string> {
  return text.catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return '';
    throw error;
  });
}
