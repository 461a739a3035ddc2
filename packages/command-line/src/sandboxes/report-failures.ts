import { type ExitReason, exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { isWorthTelling, type VisitFailure } from './visit-backends.ts';

/** How a command ends of which some parts failed. */
export function reasonOf(failures: readonly VisitFailure[], hasWorked: boolean): ExitReason {
  if (!failures.some(({ isExpected }) => isExpected)) return 'done';
  return hasWorked ? 'partial' : 'failed';
}

/** Tells people what failed, and what to do. */
export function tellFailures(host: Host, failures: readonly VisitFailure[]): void {
  for (const failure of failures.filter(isWorthTelling)) {
    const { backend, id, message, code, hint, isExpected } = failure;
    const what = id === null ? backend : `${backend} ${id}`;
    const kind = isExpected ? 'error' : 'warning';
    host.stderr.write(`${kind}: ${what}: ${message}${code === null ? '' : ` [${code}]`}\n`);
    if (hint !== null) host.stderr.write(`hint:  ${hint}\n`);
  }
}

/** The head and the failures of the object that `--json` asks for. */
export function encodeOutcome(
  reason: ExitReason,
  failures: readonly VisitFailure[],
): { readonly head: object; readonly failed: readonly object[] } {
  return {
    head: { reason, exit_code: exitCodes[reason] },
    failed: failures.filter(isWorthTelling).map(({ backend, id, message, code, hint, isExpected }) => ({
      backend,
      id,
      message,
      code,
      hint,
      is_expected: isExpected,
    })),
  };
}
