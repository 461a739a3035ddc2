import { rm } from 'node:fs/promises';
import { isJsonObject, type JsonValue, parseJson } from '@talaria/core';
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
 * Ends an instance with everything in it; says whether it was there.
 * @throws SandboxError `sandbox.failed` where it is still there
 */
export async function stopInstance(name: string, setup: SingularitySetup): Promise<boolean> {
  const instance = (await listInstances(setup)).find((listed) => listed.name === name);
  if (instance === undefined) return false;
  const result = await setup.call(['instance', 'stop', '--signal', 'KILL', name], { timeoutMs: maxStopMs });
  const isThere = result.exitCode !== 0 && (await listInstances(setup)).some((listed) => listed.name === name);
  if (isThere) {
    throw singularityError(`The instance ${name} cannot be stopped: ${readComplaint(result.stderr)}`, {
      code: 'sandbox.failed',
      phase: 'dispose',
      started: true,
      hint: `End it by hand: apptainer instance stop --signal KILL ${name}.`,
    });
  }
  await Promise.all(instance.logFiles.map((path) => rm(path, { force: true })));
  return true;
}
