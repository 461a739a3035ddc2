import { errorMessage, StateError, systemErrorCode } from '@talaria/core';

/** The number that SQLite gives an error, without its details; `undefined` for any other error. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (systemErrorCode(error) !== 'ERR_SQLITE_ERROR') return undefined;
  const isNumbered = typeof error === 'object' && error !== null && 'errcode' in error;
  return isNumbered && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** Whether another connection held the lock that was needed. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === 5 || code === 6;
}

interface Explanation {
  readonly code: `state.${string}`;
  readonly reason: string;
  readonly hint: string;
}

const damaged: Explanation = {
  code: 'state.damaged',
  reason: 'it is no database, or a damaged one',
  hint: 'Choose another file, or put a copy of it back.',
};
const notWritable: Explanation = {
  code: 'state.not-writable',
  reason: 'it cannot be written',
  hint: 'Choose a file in a folder that this user may write to, or change its permissions.',
};

const explanations: ReadonlyMap<number, Explanation> = new Map([
  [3, notWritable],
  [5, { code: 'state.locked', reason: 'another process is writing to it', hint: 'Try again, or raise lockTimeoutMs.' }],
  [6, { code: 'state.locked', reason: 'another process is writing to it', hint: 'Try again, or raise lockTimeoutMs.' }],
  [8, notWritable],
  [10, { code: 'state.io', reason: 'the disk failed', hint: 'Check the disk and the path.' }],
  [11, damaged],
  [13, { code: 'state.no-space', reason: 'the disk is full', hint: 'Free some space and try again.' }],
  [14, notWritable],
  [26, damaged],
]);

/** Explains a failure of SQLite; anything else passes unchanged. */
export function toStoreError(error: unknown, path: string): unknown {
  const code = sqliteCodeOf(error);
  if (code === undefined) return error;
  const known = explanations.get(code);
  if (known === undefined) return error;
  return new StateError(`Cannot use ${path}: ${known.reason} (${errorMessage(error)})`, {
    code: known.code,
    hint: known.hint,
    retryable: known.code === 'state.locked',
    cause: error,
  });
}
