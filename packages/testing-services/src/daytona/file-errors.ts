import { errorMessage, systemErrorCode } from '@talaria/core';
import { AnswerError, daemonError } from './answer.ts';

const answers: Readonly<Record<string, readonly [status: number, code: string, text: string]>> = {
  ENOENT: [404, 'FILE_NOT_FOUND', 'file not found'],
  ENOTDIR: [400, 'INVALID_FILE_PATH', 'not a directory'],
  EISDIR: [400, 'INVALID_FILE_PATH', 'path points to a directory'],
  ELOOP: [400, 'INVALID_FILE_PATH', 'too many levels of symbolic links'],
  ENAMETOOLONG: [400, 'INVALID_FILE_PATH', 'file name too long'],
  EACCES: [403, 'FILE_ACCESS_DENIED', 'permission denied'],
  EPERM: [403, 'FILE_ACCESS_DENIED', 'operation not permitted'],
  EROFS: [403, 'FILE_ACCESS_DENIED', 'read-only file system'],
};

/** What the daemon answers when an operation on a file fails; the path is the one that was asked for. */
export function fileError(error: unknown, path: string): AnswerError {
  if (error instanceof AnswerError) return error;
  const [status, code, text] = answers[systemErrorCode(error) ?? ''] ?? [500, 'FILE_READ_FAILED', errorMessage(error)];
  return daemonError(status, code, `${text}: ${path}`);
}
