import { type Clock, errorMessage, isTalariaError, raceAbort } from '@talaria/core';
import type { StartedChild } from '../local/child-process.ts';
import { killGroup } from './run-program.ts';
import { hintFor, readComplaint, singularityError } from './singularity-error.ts';

/** Variables that the program sets; they tell paths of this machine. */
const ownVariables = ['NAME', 'CONTAINER', 'BIND', 'COMMAND', 'APPNAME', 'ENVIRONMENT', 'INSTANCE'].flatMap((name) => [
  `APPTAINER_${name}`,
  `SINGULARITY_${name}`,
]);

/**
 * Script for `sh` that becomes the program that is wanted, and reports at descriptor 3 that it is about to: without that,
 * what the program of the host failed with could not be told from what the one inside did.
 */
export function entryScript(keepsLibraryPath: boolean): string {
  const names = [...ownVariables, 'PROMPT_COMMAND', 'PS1', ...(keepsLibraryPath ? [] : ['LD_LIBRARY_PATH'])];
  return [
    'command -v -- "$1" >/dev/null 2>&1 || { printf m >&3; exit 127; } 2>/dev/null',
    '{ printf s >&3; } 2>/dev/null',
    'exec 3>&-',
    `unset ${names.join(' ')}`,
    // Where the image names no language, the program does.
    '[ "$LANG" != C ] || unset LANG',
    'exec "$@"',
  ].join('\n');
}

/** What is about to be confirmed. */
export interface StartToConfirm {
  readonly file: string;
  /** Whether the instance still lives. */
  readonly isAlive: () => Promise<boolean>;
  readonly lost: () => unknown;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/**
 * Waits until the entry script has reported. What has not begun by the time of an abort is ended.
 * @throws SandboxError `sandbox.missing-program`, `sandbox.lost`, `sandbox.failed`; the signal's reason
 */
export async function confirmStart(child: StartedChild, start: StartToConfirm): Promise<void> {
  const { file, clock, signal } = start;
  try {
    const report = await raceAbort(readReport(child), signal);
    if (report === 'm') throw missingProgram(file, 'it is not on the PATH of the image');
    if (report === '' && (await endsFailed(child, clock, signal))) throw await explainFailure(child, start);
  } catch (error) {
    killGroup(child.leaderPid(), 'SIGKILL');
    child.release();
    throw error;
  } finally {
    child.report?.destroy();
  }
}

/** What was reported; `''` where nobody can report any more. */
function readReport({ report }: StartedChild): Promise<string> {
  return new Promise((resolve) => {
    report
      ?.once('data', (bytes: Buffer) => resolve(bytes.toString('latin1').slice(0, 1)))
      .once('close', () => resolve(''))
      .once('error', () => resolve(''));
  });
}

/** The program's own exit code where it could not do what it was asked. */
const failureCode = 255;
const maxEndMs = 1_000;

/** A program that did not hand on the descriptor may well have started what was wanted: then it goes on, or ends otherwise. */
async function endsFailed(child: StartedChild, clock: Clock, signal: AbortSignal | undefined): Promise<boolean> {
  const limit = clock.sleep(maxEndMs, { isBackground: true }).then(() => null);
  return (await raceAbort(Promise.race([child.exited, limit]), signal)) === failureCode;
}

async function explainFailure(child: StartedChild, { file, isAlive, lost }: StartToConfirm): Promise<unknown> {
  const complaint = readComplaint(await readAll(child));
  if (!(await isAlive())) return lost();
  if (/executable file not found/.test(complaint)) return missingProgram('sh', complaint);
  return singularityError(`The program cannot start ${file} in the sandbox: ${complaint}`, {
    code: 'sandbox.failed',
    phase: 'exec',
    retryable: true,
    hint: hintFor(complaint),
  });
}

const maxComplaintBytes = 65_536;

/** What the program of the host said before it ended. */
async function readAll({ stdout, stderr }: StartedChild): Promise<string> {
  let text = '';
  for (const stream of [stdout, stderr]) {
    if (stream === null) continue;
    for await (const piece of stream) text = `${text}${piece}`.slice(-maxComplaintBytes);
  }
  return text;
}

function missingProgram(file: string, reason: string): unknown {
  return singularityError(`${file} cannot be started in the sandbox: ${reason}`, {
    code: 'sandbox.missing-program',
    phase: 'exec',
    hint: `Use an image that has ${file}.`,
  });
}

/** A child that could not be started at all, as an error of this backend. */
export function ownError(error: unknown): unknown {
  if (!isTalariaError(error) || !error.code.startsWith('sandbox.')) return error;
  const code = error.code === 'sandbox.command-too-long' ? error.code : 'sandbox.failed';
  return singularityError(errorMessage(error), {
    code,
    phase: 'exec',
    retryable: error.retryable,
    hint: error.hint,
    cause: error,
  });
}
