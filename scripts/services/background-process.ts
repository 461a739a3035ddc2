import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { lastLines, programEnvironment } from './host-programs.ts';
import { StepError } from './step-error.ts';

const endTimeoutMs = 30_000;
const pollMs = 100;

export interface BackgroundProgram {
  readonly file: string;
  /** One of them holds the path of `folder`: that is how the process is known again. */
  readonly args: readonly string[];
  /** For the log and the process id; one folder for each program. */
  readonly folder: string;
  /** Whether it is up. */
  readonly isReady: () => Promise<boolean>;
  readonly readyTimeoutMs: number;
  readonly hint: string;
}

const recordPath = (folder: string): string => join(folder, 'process-id');
const logPath = (folder: string): string => join(folder, 'output.log');

/** Starts a program that outlives this one, and waits until it is up. @throws StepError with the end of its log */
export async function startInBackground(program: BackgroundProgram): Promise<void> {
  mkdirSync(program.folder, { recursive: true, mode: 0o700 });
  const log = openSync(logPath(program.folder), 'w');
  const child = spawn(program.file, program.args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: programEnvironment(),
  });
  let end: string | undefined;
  child.on('error', (error) => {
    end = `did not start: ${error.message}`;
  });
  child.on('exit', (code, signal) => {
    end = `ended with ${code ?? signal}`;
  });
  child.unref();
  if (child.pid !== undefined) writeFileSync(recordPath(program.folder), `${child.pid}\n`);

  const deadline = Date.now() + program.readyTimeoutMs;
  while (end === undefined && Date.now() < deadline) {
    if (await program.isReady()) return;
    await delay(pollMs);
  }
  // Before it is ended, since then it has an end too.
  const fault = end ?? `was not ready within ${program.readyTimeoutMs / 1000} s`;
  if (end === undefined) await endBackgroundProcess(program.folder);
  rmSync(recordPath(program.folder), { force: true });
  const output = lastLines(readFileSync(logPath(program.folder), 'utf8'));
  throw new StepError(`${program.file} ${fault}; its log, ${logPath(program.folder)}, ends:${output}`, program.hint);
}

/** Ends what `startInBackground` started in this folder, and its children. `false` = nothing of ours runs there. */
export async function endBackgroundProcess(folder: string): Promise<boolean> {
  const processId = readRecord(folder);
  rmSync(recordPath(folder), { force: true });
  if (processId === undefined || !(await isOurs(processId, folder))) return false;
  const children = await childrenOf(processId);
  signal(processId, 'SIGTERM');
  const deadline = Date.now() + endTimeoutMs;
  while (await isOurs(processId, folder)) {
    if (Date.now() > deadline) signal(processId, 'SIGKILL');
    await delay(pollMs);
  }
  for (const child of children) signal(child, 'SIGTERM');
  return true;
}

function readRecord(folder: string): number | undefined {
  try {
    const processId = Number(readFileSync(recordPath(folder), 'utf8'));
    return Number.isInteger(processId) && processId > 1 ? processId : undefined;
  } catch {
    // Nothing was started here.
    return undefined;
  }
}

/** A process id is used again after a while; the arguments tell whose it is. */
async function isOurs(processId: number, folder: string): Promise<boolean> {
  const result = await execa('ps', ['-ww', '-o', 'stat=,args=', '-p', String(processId)], { reject: false });
  return result.stdout.includes(folder) && !result.stdout.trimStart().startsWith('Z');
}

async function childrenOf(processId: number): Promise<readonly number[]> {
  const result = await execa('ps', ['-A', '-o', 'ppid=,pid='], { reject: false });
  return result.stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([parent]) => parent === processId)
    .flatMap(([, child]) => (child === undefined ? [] : [child]));
}

function signal(processId: number, name: NodeJS.Signals): void {
  try {
    process.kill(processId, name);
  } catch {
    // It ended by itself.
  }
}
