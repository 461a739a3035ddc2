import { errorMessage, isTalariaError, StateError, systemErrorCode } from '@talaria/core';

/** What was tried with a file or folder. */
export type StorageAction = 'create' | 'write' | 'read' | 'lock' | 'remove';

type StorageCode =
  | 'state.no-space'
  | 'state.not-writable'
  | 'state.not-readable'
  | 'state.missing'
  | 'state.too-many-open-files'
  | 'state.io';

interface Explanation {
  readonly code: StorageCode;
  readonly reason: string;
  readonly hint: string;
}

const freeSpaceHint = 'Free some space and resume the run: nothing that was reported as done is lost.';
const otherFolderHint = 'Choose a folder that this user may write to, or change its permissions.';

const explanations: Readonly<Record<string, Explanation>> = {
  ENOSPC: { code: 'state.no-space', reason: 'the disk is full', hint: freeSpaceHint },
  EDQUOT: { code: 'state.no-space', reason: 'the disk quota is used up', hint: freeSpaceHint },
  EFBIG: {
    code: 'state.no-space',
    reason: 'the file would become larger than this process may write',
    hint: 'Raise the limit (`ulimit -f unlimited`) and resume the run: nothing that was reported as done is lost.',
  },
  EACCES: { code: 'state.not-writable', reason: 'permission denied', hint: otherFolderHint },
  EPERM: { code: 'state.not-writable', reason: 'the operation is not permitted', hint: otherFolderHint },
  EROFS: { code: 'state.not-writable', reason: 'the file system is read-only', hint: otherFolderHint },
  ENOTDIR: {
    code: 'state.not-writable',
    reason: 'a part of the path is a file, not a folder',
    hint: 'Choose another path, or move that file away.',
  },
  EEXIST: {
    code: 'state.not-writable',
    reason: 'there is a file of that name',
    hint: 'Choose another path, or move that file away.',
  },
  EISDIR: {
    code: 'state.not-writable',
    reason: 'it is a folder, not a file',
    hint: 'Choose another path, or move that folder away.',
  },
  ENOENT: {
    code: 'state.missing',
    reason: 'it does not exist',
    hint: 'Check the path; it may have been moved or deleted while the run was going on.',
  },
  EMFILE: {
    code: 'state.too-many-open-files',
    reason: 'this process has too many open files',
    hint: 'Raise the limit (`ulimit -n 65536`) or lower the concurrency.',
  },
  ENFILE: {
    code: 'state.too-many-open-files',
    reason: 'the system has too many open files',
    hint: 'Close other programs or lower the concurrency.',
  },
};

/** Explains a failure of the file system; an error that is already typed, or not the system's, passes unchanged. */
export function toStorageError(error: unknown, action: StorageAction, path: string): unknown {
  const systemCode = systemErrorCode(error);
  if (isTalariaError(error) || systemCode === undefined) return error;
  const explanation = explanations[systemCode] ?? {
    code: 'state.io',
    reason: errorMessage(error),
    hint: 'Check the disk and the path, then resume the run.',
  };
  const isRefusedRead = action === 'read' && explanation.code === 'state.not-writable';
  return new StateError(`Cannot ${action} ${path}: ${explanation.reason} (${systemCode})`, {
    code: isRefusedRead ? 'state.not-readable' : explanation.code,
    hint: isRefusedRead ? 'Check the path and its permissions.' : explanation.hint,
    cause: error,
  });
}

/** Runs an action of the file system and explains its failure. */
export async function withStorageErrors<Result>(
  action: StorageAction,
  path: string,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw toStorageError(error, action, path);
  }
}
