import { rm } from 'node:fs/promises';
import { type Clock, isJsonObject, type JsonValue, parseJson, systemErrorCode } from '@talaria/core';
import { describeOwner, isRunning, judgeOwner, readParentPid, type SandboxOwner } from '../ledger/sandbox-owner.ts';
import { logFilesOf } from './log-files.ts';
import { readComplaint, singularityError } from './singularity-error.ts';
import type { SingularitySetup } from './singularity-setup.ts';

/** An instance of this user on this machine. */
export interface Instance {
  readonly name: string;
  /** Its first process. */
  readonly pid: number;
  /** What it wrote; the program leaves these files behind. */
  readonly logFiles: readonly string[];
}

const maxListMs = 30_000;
const maxStopMs = 30_000;

/** @throws SandboxError `sandbox.failed` */
export async function listInstances(setup: SingularitySetup, signal?: AbortSignal): Promise<readonly Instance[]> {
  const result = await setup.call(['instance', 'list', '--json'], { timeoutMs: maxListMs, signal });
  const parsed = parseJson(result.stdout);
  const listed = parsed.ok && isJsonObject(parsed.value) ? parsed.value['instances'] : undefined;
  if (result.exitCode !== 0 || !Array.isArray(listed)) {
    throw singularityError(`The instances cannot be listed: ${readComplaint(result.stderr || result.stdout)}`, {
      code: 'sandbox.failed',
      phase: 'dispose',
      hint: 'Look what `apptainer instance list --json` says; Apptainer 1.1 or Singularity 3.8 is the oldest that will do.',
    });
  }
  return listed.map(readInstance).filter((instance) => instance !== null);
}

function readInstance(value: JsonValue): Instance | null {
  if (!isJsonObject(value)) return null;
  const { instance, pid, logErrPath, logOutPath } = value;
  if (typeof instance !== 'string' || typeof pid !== 'number') return null;
  return { name: instance, pid, logFiles: [logErrPath, logOutPath].filter((path) => typeof path === 'string') };
}

/**
 * Ends an instance with everything in it; says whether it was there. Where its first process is known, no call of the
 * program is needed: `instance stop` takes one to two seconds, whatever the signal.
 * @throws SandboxError `sandbox.failed` where it is still there
 */
export async function stopInstance(name: string, setup: SingularitySetup, known?: SandboxOwner): Promise<boolean> {
  const wasEnded = known !== undefined && (await endFirstProcess(known, setup.clock));
  const instance = wasEnded ? undefined : await findInstance(name, setup);
  if (instance !== undefined) {
    const isEnded = await endFirstProcess(await describeOwner(instance.pid), setup.clock);
    if (!isEnded) await stopByProgram(name, setup);
  }
  // They stay also where the instance has ended by itself.
  const logFiles = instance?.logFiles ?? logFilesOf(name, setup.environment);
  await Promise.all(logFiles.map((path) => rm(path, { force: true })));
  return wasEnded || instance !== undefined;
}

async function findInstance(name: string, setup: SingularitySetup): Promise<Instance | undefined> {
  return (await listInstances(setup)).find((listed) => listed.name === name);
}

const maxEndMs = 5_000;
const maxPauseMs = 50;

/**
 * The kernel ends everything in a process space with its first process. Then the program, which waits for that, takes away
 * what it has made for the instance. Says whether both have happened.
 */
async function endFirstProcess(first: SandboxOwner, clock: Clock): Promise<boolean> {
  if ((await judgeOwner(first)) !== 'alive') return false;
  const keeper = await readParentPid(first.pid);
  try {
    process.kill(first.pid, 'SIGKILL');
  } catch (error) {
    const code = systemErrorCode(error);
    // It has just ended, or it is not for this user to end it.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
  const endsAt = clock.monotonicMs() + maxEndMs;
  for (let pauseMs = 5; clock.monotonicMs() < endsAt; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    const isKept = keeper !== null && keeper > 1 && (await isRunning(keeper));
    if (!isKept && (await judgeOwner(first)) !== 'alive') return true;
    await clock.sleep(pauseMs);
  }
  return false;
}

async function stopByProgram(name: string, setup: SingularitySetup): Promise<void> {
  const result = await setup.call(['instance', 'stop', '--signal', 'KILL', name], { timeoutMs: maxStopMs });
  if (result.exitCode === 0 || (await findInstance(name, setup)) === undefined) return;
  throw singularityError(`The instance ${name} cannot be stopped: ${readComplaint(result.stderr)}`, {
    code: 'sandbox.failed',
    phase: 'dispose',
    started: true,
    hint: `End it by hand: apptainer instance stop --signal KILL ${name}.`,
  });
}
