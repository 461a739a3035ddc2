import { exitCodes } from './exit-code.ts';
import type { Host } from './host.ts';
import { describeError, exitReasonOf, writeError } from './report-error.ts';
import { RunInterrupted } from './stop-control.ts';

/** Tells an error that ended a program, for people and, with `--json`, for machines; gives the exit code. */
export function endWithError(host: Host, error: unknown): number {
  const reason = error instanceof RunInterrupted ? 'interrupted' : exitReasonOf(error);
  const exitCode = exitCodes[reason];
  if (reason !== 'interrupted') writeError(host.stderr, error, { isVerbose: host.argv.includes('--verbose') });
  if (host.argv.includes('--json')) {
    const { message, code, hint } = describeError(error);
    host.stdout.write(`${JSON.stringify({ reason, exit_code: exitCode, error: { code, message, hint } })}\n`);
  }
  return exitCode;
}
