import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { systemErrorCode } from '@talaria/core';
import { type ProcStat, parseProcStat } from '../ledger/proc-stat.ts';
import { execVariable, sandboxVariable } from '../shell-wrapper.ts';
import { parseLimitMark } from './limit-mark.ts';

/** What is known about a running process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** Clock ticks or another text that no second process with the same number shares. */
  readonly startMark: string;
  readonly hasTerminal: boolean;
  readonly execId: string | null;
  readonly sandboxId: string | null;
  /** Working folder of a process without marks; `null` where it has marks or hides it. */
  readonly cwd: string | null;
  /** See {@link parseLimitMark}; `null` where it bears none or need not be known. */
  readonly limitMark: string | null;
}

/** Sees the processes of this machine. */
export interface ProcessTable {
  /** All that run at some instant after the call, without zombies. Calls at the same time share one look. */
  look(): Promise<readonly ProcessEntry[]>;
  /** Whether one that was seen still runs; far cheaper than a look. */
  isRunning(entry: ProcessEntry): boolean;
}

/** Creates the table for this system: from `/proc` on Linux, from `ps` elsewhere. */
export function createProcessTable(platform: string): ProcessTable {
  return platform === 'linux'
    ? { look: shareLooks(lookAtProc), isRunning: isRunningInProc }
    : { look: shareLooks(() => lookWithPs(['-Aww', '-E'])), isRunning: takesSignals };
}

/** A look that is under way may have passed a process by, so a new call waits for the next one, together with others. */
function shareLooks(look: ProcessTable['look']): ProcessTable['look'] {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly ProcessEntry[]> | undefined;
  return () => {
    next ??= running.then(() => {
      const started = look();
      next = undefined;
      running = started.catch(() => undefined);
      return started;
    });
    return next;
  };
}

/** Reading `/proc` never waits for a disk, so it is done at once, in slices that let other work run in between. */
const sliceSize = 64;

async function lookAtProc(): Promise<readonly ProcessEntry[]> {
  const entries: ProcessEntry[] = [];
  let seen = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const entry = readProcEntry(Number(name));
    if (entry !== null) entries.push(entry);
    seen += 1;
    if (seen % sliceSize === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return entries;
}

/** Number of the kernel's own thread starter: it and its children have no environment and are nobody's to kill. */
const kernelThreadParent = 2;

function readProcEntry(pid: number): ProcessEntry | null {
  const known = readLiveStat(pid);
  if (known === null) return null;
  if (pid === kernelThreadParent || known.parentPid === kernelThreadParent) {
    return { pid, ...known, execId: null, sandboxId: null, cwd: null, limitMark: null };
  }
  const environment = readOrNull(() => readFileSync(`/proc/${pid}/environ`));
  const sandboxId = environment === null ? null : findVariable(environment, sandboxVariable);
  return {
    pid,
    ...known,
    execId: environment === null ? null : findVariable(environment, execVariable),
    sandboxId,
    cwd: sandboxId === null ? readOrNull(() => readlinkSync(`/proc/${pid}/cwd`).replace(removedFolder, '')) : null,
    limitMark:
      sandboxId === null ? parseLimitMark(readOrNull(() => readFileSync(`/proc/${pid}/limits`, 'latin1')) ?? '') : null,
  };
}

/** What Linux puts after the name of a folder that is no longer there. */
const removedFolder = / \(deleted\)$/;

function isRunningInProc(entry: ProcessEntry): boolean {
  return readLiveStat(entry.pid)?.startMark === entry.startMark;
}

function takesSignals(entry: ProcessEntry): boolean {
  return readOrNull(() => process.kill(entry.pid, 0)) ?? false;
}

/** `null` for a process that has ended, whether or not its parent has taken notice. */
function readLiveStat(pid: number): Omit<ProcStat, 'state'> | null {
  const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const facts = stat === null ? null : parseProcStat(stat);
  if (facts === null || facts.state === 'Z' || facts.state === 'X') return null;
  const { state: _state, ...known } = facts;
  return known;
}

function findVariable(environment: Buffer, name: string): string | null {
  const entry = `${name}=`;
  for (let at = environment.indexOf(entry); at !== -1; at = environment.indexOf(entry, at + 1)) {
    if (at > 0 && environment[at - 1] !== 0) continue;
    const end = environment.indexOf(0, at);
    return environment.toString('latin1', at + entry.length, end === -1 ? environment.length : end);
  }
  return null;
}

/** A process may end between two looks at it, and may belong to somebody else. */
function readOrNull<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return null;
    throw error;
  }
}

const runFile = promisify(execFile);
const psColumns = 'pid=,ppid=,pgid=,tty=,stat=,lstart=,command=';
const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s?(.*)$/;

/** The same from `ps`, whose `options` make it show environments after the command lines. */
export async function lookWithPs(options: readonly string[]): Promise<readonly ProcessEntry[]> {
  const { stdout } = await runFile('ps', [...options, '-o', psColumns], { maxBuffer: 256 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parentPid, groupId, terminal = '', state = '', startMark = '', command = ''] =
      psLine.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    const entry: ProcessEntry = {
      pid: Number(pid),
      parentPid: Number(parentPid),
      groupId: Number(groupId),
      startMark,
      hasTerminal: !terminal.startsWith('?'),
      execId: findWord(command, execVariable),
      sandboxId: findWord(command, sandboxVariable),
      cwd: null,
      limitMark: null,
    };
    return [entry];
  });
}

function findWord(text: string, name: string): string | null {
  return new RegExp(`(?:^|\\s)${name}=(\\S+)`).exec(text)?.[1] ?? null;
}
