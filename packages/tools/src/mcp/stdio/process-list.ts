import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { systemErrorCode } from '@talaria/core';

/** A running process. */
export interface ListedProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** `null` where the system does not tell it. */
  readonly sessionId: number | null;
  /** A text that no second process with the same number shares. */
  readonly startMark: string;
}

/** All processes that run now, without those that have ended and wait for their parent. */
export async function listProcesses(platform: string): Promise<readonly ListedProcess[]> {
  return platform === 'linux' ? listFromProc() : listFromPs();
}

function listFromProc(): readonly ListedProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => parseStat(readStat(name)) ?? []);
}

/** `null` for a process that ended meanwhile. */
function readStat(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return null;
    throw error;
  }
}

/** `proc(5)`: number, name in brackets, state, parent, group, session, … and as the 22nd field the start. */
function parseStat(stat: string | null): ListedProcess | null {
  if (stat === null) return null;
  // The name may hold brackets and white space; what follows the last one cannot.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parentPid, groupId, sessionId] = fields;
  if (state === 'Z' || state === 'X') return null;
  return {
    pid: Number.parseInt(stat, 10),
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    sessionId: Number(sessionId),
    startMark: fields[19] ?? '',
  };
}

const runFile = promisify(execFile);
const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/;

async function listFromPs(): Promise<readonly ListedProcess[]> {
  const { stdout } = await runFile('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], { maxBuffer: 67_108_864 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parentPid, groupId, state = '', startMark = ''] = psLine.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parentPid: Number(parentPid), groupId: Number(groupId), sessionId: null, startMark }];
  });
}
