import { inspect } from 'node:util';
import { errorMessage, isTalariaError, redactSecrets, type Secret } from '@talaria/core';
import type { ExitReason } from './exit-code.ts';
import type { OutputStream } from './host.ts';
import { printable } from './one-line.ts';

/** What is told of an error that ended a program. */
export interface ErrorReport {
  readonly message: string;
  /** `null` where it is not an error of Talaria. */
  readonly code: string | null;
  readonly hint: string | null;
}

/** Describes anything that was thrown. Values of `secrets` are taken out. */
export function describeError(error: unknown, secrets: Iterable<Secret> = []): ErrorReport {
  const known = [...secrets];
  const hide = (text: string): string => printable(redactSecrets(text, known));
  if (!isTalariaError(error)) return { message: hide(errorMessage(error)), code: null, hint: null };
  return { message: hide(error.message), code: error.code, hint: error.hint === undefined ? null : hide(error.hint) };
}

/** Refusals before anything runs that are no errors of configuration: what was asked for cannot be begun like this. */
const refusals: ReadonlySet<string> = new Set([
  'parser.unknown',
  'state.exists',
  'state.different-run',
  'state.locked',
  'task.bad-environment',
  'task.bad-schema',
  'task.duplicate-parser',
  'task.environment-not-loaded',
]);

/** Why a program ended that threw this: wrong usage where nothing was run and the user has to act, else a failure. */
export function exitReasonOf(error: unknown): ExitReason {
  const isUsage = isTalariaError(error) && (error.code.startsWith('config.') || refusals.has(error.code));
  return isUsage ? 'usage' : 'failed';
}

/** Writes what went wrong and what to do; with `isVerbose`, where it happened too. */
export function writeError(stream: OutputStream, error: unknown, options: WriteErrorOptions = {}): void {
  const { isVerbose = false, secrets = [] } = options;
  const report = describeError(error, secrets);
  stream.write(`error: ${report.message}${report.code === null ? '' : ` [${report.code}]`}\n`);
  if (report.hint !== null) stream.write(`hint:  ${report.hint}\n`);
  if (isVerbose) stream.write(`${redactSecrets(inspect(error, { depth: 4 }), [...secrets])}\n`);
  else if (report.code === null) stream.write('hint:  --verbose shows where this happened.\n');
}

/** Options of {@link writeError}. */
export interface WriteErrorOptions {
  /** Show the stack and the errors underneath. @default false */
  readonly isVerbose?: boolean | undefined;
  /** Values that must not be seen. */
  readonly secrets?: Iterable<Secret> | undefined;
}
