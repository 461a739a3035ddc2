import { errorMessage, isTalariaError, SandboxError, systemErrorCode } from '@talaria/core';
import type { BackendKind } from '../sandbox.ts';

/** The code of a system error, by its name. */
export const codeOfSystemError: Readonly<Record<string, `sandbox.${string}`>> = {
  ENOENT: 'sandbox.not-found',
  EISDIR: 'sandbox.is-directory',
  ENOTDIR: 'sandbox.not-directory',
  EACCES: 'sandbox.permission',
  EPERM: 'sandbox.permission',
  EROFS: 'sandbox.permission',
  ENOSPC: 'sandbox.no-space',
  EDQUOT: 'sandbox.no-space',
  EFBIG: 'sandbox.too-large',
  EEXIST: 'sandbox.exists',
  ENOTEMPTY: 'sandbox.exists',
  ELOOP: 'sandbox.unsafe-path',
};

/** What to do, by the code of the error. */
export const hintOfCode: Readonly<Record<string, string>> = {
  'sandbox.not-found': 'Check the path; relative paths start in the working folder of the sandbox.',
  'sandbox.is-directory': 'Name a file inside it, or list it.',
  'sandbox.not-directory': 'A part of the path is a file.',
  'sandbox.permission': 'Change its mode or owner first, or use another path.',
  'sandbox.no-space': 'Remove what is not needed, or give the state folder more room.',
  'sandbox.exists': 'Use another path, or remove what is there first.',
  'sandbox.unsafe-path': 'Remove the circle of links.',
};

/** Where the code alone does not tell what to do. */
const hintOfSystemError: Readonly<Record<string, string>> = {
  EXDEV: 'Copy it and remove the original: a move works within one file system only.',
  ENAMETOOLONG: 'Use a shorter name, or a folder that lies less deep.',
  EMFILE: 'Raise the limit on open files (ulimit -n), or do less at once.',
  ENFILE: 'Close files elsewhere on this machine, or do less at once.',
  EBUSY: 'Use another path: this one is a mount point or in use by the system.',
};
const unknownHint = 'Look up the error code of the system, and check the path.';

/** What was done when a system error came up. */
export interface FileOperation {
  readonly backend: BackendKind;
  /** For the message, for example `read`. */
  readonly action: string;
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
}

/** Gives a system error of a file operation its place in the tree; what has one already is given back as it is. */
export function fileError(error: unknown, { backend, action, path, signal }: FileOperation): unknown {
  if (isTalariaError(error)) return error;
  if (signal?.aborted && (error === signal.reason || systemErrorCode(error) === 'ABORT_ERR')) return signal.reason;
  const systemCode = systemErrorCode(error);
  if (systemCode === undefined) return error;
  const code = codeOfSystemError[systemCode] ?? 'sandbox.failed';
  return new SandboxError(`Cannot ${action} ${JSON.stringify(path)}: ${errorMessage(error)}`, {
    backend,
    code,
    phase: 'transfer',
    started: code !== 'sandbox.not-found',
    hint: hintOfSystemError[systemCode] ?? hintOfCode[code] ?? unknownHint,
    cause: error,
  });
}
