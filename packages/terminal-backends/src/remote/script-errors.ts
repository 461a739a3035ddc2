import type { SandboxError } from '@talaria/core';
import type { BackendKind } from '../sandbox.ts';
import { remoteError } from './remote-error.ts';

/** The error of a script that was ended since it took too long. */
export function scriptTimeoutError(backend: BackendKind, timeoutMs: number, cause?: unknown): SandboxError {
  return remoteError(backend, `A script in the sandbox took more than ${timeoutMs} ms and was ended`, {
    code: 'sandbox.timeout',
    phase: 'transfer',
    started: true,
    retryable: true,
    hint: 'See whether the sandbox has enough processor time and whether its file system answers, or do less at once.',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The error of a script with more output than is taken. */
export function scriptSizeError(backend: BackendKind, maxBytes: number): SandboxError {
  return remoteError(backend, `A script in the sandbox wrote more than ${maxBytes} bytes`, {
    code: 'sandbox.too-large',
    phase: 'transfer',
    started: true,
    hint: 'Do less at once: read a part of the file, or list a smaller folder.',
  });
}

/** The error of a script that nobody can say the end of. */
export function scriptLossError(backend: BackendKind, code: 'sandbox.lost' | 'sandbox.failed'): SandboxError {
  return remoteError(backend, 'The connection to the sandbox was lost while a script ran', {
    code,
    phase: 'transfer',
    started: true,
    hint: 'Look whether the sandbox still runs. If not, find out what ended it, and start again with a new one.',
  });
}

/** The error of a script that could not be started, since its input did not fit. */
export function scriptSpaceError(backend: BackendKind): SandboxError {
  return remoteError(backend, 'The sandbox has no room left', {
    code: 'sandbox.no-space',
    phase: 'transfer',
    started: false,
    hint: 'Remove what is not needed in the sandbox.',
  });
}
