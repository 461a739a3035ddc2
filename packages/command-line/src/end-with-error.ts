import type { Secret } from '@talaria/core';
import { exitCodes } from './exit-code.ts';
import type { Host } from './host.ts';
import { describeError, exitReasonOf, writeError } from './report-error.ts';
import { RunInterrupted } from './stop-control.ts';

/**
 * Tells an error that ended a program, for people and, with `--json`, for machines; gives the exit code. Values of
 * `secrets` are taken out.
 */
export function endWithError(host: Host, error: unknown, secrets: readonly Secret[] = []): number {
  const reason = error instanceof RunInterrupted ? 'interrupted' : exitReasonOf(error);
  const exitCode = exitCodes[reason];
  const isVerbose = host.argv.includes('--verbose');
  if (reason !== 'interrupted') writeError(host.stderr, error, { isVerbose, secrets });
  if (host.argv.includes('--json')) {
    const { message, code, hint } = describeError(error, secrets);
    host.stdout.write(`${JSON.stringify({ reason, exit_code: exitCode, error: { code, message, hint } })}\n`);
  }
  return exitCode;
}
