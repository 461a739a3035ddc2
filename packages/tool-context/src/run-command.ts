import { isAbortOf, openDeadline, SandboxError } from '@talaria/core';
import type { RunOptions, RunResult, SandboxHandle } from '@talaria/terminal-backends';
import type { CommandOptions } from './tool-context.ts';
import type { ToolContextSettings } from './tool-context-options.ts';

/** What `timeout(1)` exits with. */
export const timedOutExitCode = 124;

/** Time that a backend gets to keep its own time limit before the command is stopped from outside. */
const marginMs = 10_000;

/** A command that ended by itself or by its time limit. */
export type FinishedRun = Exclude<RunResult, { readonly kind: 'interrupted' }>;

/**
 * Runs a command to its end under a second time limit, `marginMs` after the backend's own: a backend whose limit does
 * not work must not hold up the verifier.
 *
 * @throws the signal's reason; SandboxError `sandbox.failed` for a command that somebody else ended
 */
export async function runCommand(
  sandbox: SandboxHandle,
  settings: ToolContextSettings,
  options: CommandOptions,
  start: (runOptions: RunOptions) => Promise<RunResult>,
): Promise<FinishedRun> {
  const { timeoutMs = settings.defaultTimeoutMs, maxOutputBytes = settings.maxOutputBytes, cwd, env, stdin } = options;
  using watchdog = openDeadline(settings.clock, timeoutMs + marginMs, settings.signal);
  const runOptions = { timeoutMs, maxOutputBytes, cwd, env, stdin, signal: watchdog.signal };
  const result = await start(runOptions).catch((error: unknown) => {
    if (!watchdog.isExpired() || !isAbortOf(error, watchdog.signal)) throw error;
    throw new SandboxError(`A command did not end within ${timeoutMs} ms and could not be stopped`, {
      code: 'sandbox.timeout',
      backend: sandbox.kind,
      phase: 'exec',
      started: true,
      hint: 'Give the command more time, or look at the sandbox: it may be overloaded.',
      cause: error,
    });
  });
  if (result.kind !== 'interrupted') return result;
  settings.signal?.throwIfAborted();
  if (watchdog.isExpired()) return { ...result, kind: 'timed-out', timeoutMs };
  throw new SandboxError('A command was ended from outside before it was done', {
    code: 'sandbox.failed',
    backend: sandbox.kind,
    phase: 'exec',
    started: true,
    hint: 'Do not call cleanup() while a command of the verifier still runs.',
  });
}

/** The exit code of a finished command; 124 where it ran out of time. */
export function exitCodeOf(result: FinishedRun): number {
  return result.kind === 'exited' ? result.exitCode : timedOutExitCode;
}
