import { SandboxError, type SandboxErrorOptions } from '@talaria/core';
import { fileError as fileErrorOf } from '../host-files/file-error.ts';

/** Makes an error of the `local` backend. */
export function localError(message: string, options: Omit<SandboxErrorOptions, 'backend'>): SandboxError {
  return new SandboxError(message, { backend: 'local', ...options });
}

/** {@link fileErrorOf} of this backend. */
export function fileError(error: unknown, action: string, path: string, signal?: AbortSignal): unknown {
  return fileErrorOf(error, { backend: 'local', action, path, signal });
}

/** Runs a file operation under {@link fileError}. */
export async function inFileOperation<Result>(
  action: string,
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    throw fileError(error, action, path, signal);
  }
}
