import { SandboxError, type SandboxErrorOptions } from '@talaria/core';
import type { BackendKind } from '../sandbox.ts';

/** Makes an error of a remote backend. */
export function remoteError(
  backend: BackendKind,
  message: string,
  options: Omit<SandboxErrorOptions, 'backend'>,
): SandboxError {
  return new SandboxError(message, { backend, ...options });
}
