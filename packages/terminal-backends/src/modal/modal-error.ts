import { ConfigError, errorMessage, type SandboxError } from '@talaria/core';
import {
  type BackendAction,
  createErrorMaker,
  explainForeign,
  type MakeBackendError,
} from '../remote/backend-action.ts';
import { bothKinds, missingCredentials } from './modal-credentials.ts';

/** Numbers of gRPC, as errors of the SDK carry them. */
const status = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Recognised by shape: where classes are loaded twice, `instanceof` is not to be relied on. */
function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'number' ? error.code : null;
}

function nameOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : '';
}

/** Whether what was asked for is not there (any more). */
export function isNotFound(error: unknown): boolean {
  return statusOf(error) === status.notFound || nameOf(error) === 'NotFoundError';
}

/** Whether a sandbox answers so that has ended. */
export function hasEnded(error: unknown): boolean {
  return isNotFound(error) || nameOf(error) === 'ConflictError' || /has already finished/.test(errorMessage(error));
}

/** Whether a sandbox answers so that cannot be used any more: ended, evicted, or let go of from here. */
export function isGone(error: unknown): boolean {
  return hasEnded(error) || statusOf(error) === status.cancelled || nameOf(error) === 'ClientClosedError';
}

/** Whether a name is in use. */
export function isNameTaken(error: unknown): boolean {
  return nameOf(error) === 'AlreadyExistsError';
}

/** Whether a process reads its input no more. */
export function isInputClosed(error: unknown): boolean {
  return statusOf(error) === status.failedPrecondition;
}

/** Whether a creation failed for a reason that passes. */
export function isPassing(error: unknown): boolean {
  const code = statusOf(error);
  if (code === status.resourceExhausted || code === status.unavailable) return true;
  return nameOf(error) === 'ResourceExhaustedError';
}

/** Whether a creation was refused, so that there is nothing of it; any other failure may have lost the answer only. */
export function isRefusal(error: unknown): boolean {
  const refusals: readonly (number | null)[] = [
    status.invalidArgument,
    status.notFound,
    status.permissionDenied,
    status.resourceExhausted,
    status.failedPrecondition,
    status.unauthenticated,
  ];
  return refusals.includes(statusOf(error)) || ['InvalidError', 'ResourceExhaustedError'].includes(nameOf(error));
}

/** What was being done when an error came. Its action completes "Modal cannot …". */
export interface ModalAction extends BackendAction {
  /** Address of the server. */
  readonly serverUrl: string;
}

/** Turns what the SDK or the service failed with into an error that says what to do. Own errors and aborts pass. */
export function explainModalError(error: unknown, doing: ModalAction): unknown {
  return explainForeign(error, doing.signal, () => explainSetup(error, doing) ?? explainAnswer(error, doing));
}

/** What the user has to set right. */
function explainSetup(error: unknown, { action, serverUrl }: ModalAction): ConfigError | null {
  const message = errorMessage(error);
  if (/missing credentials/i.test(message)) return missingCredentials(error);
  if (/cannot both be configured/.test(message)) return bothKinds(error);
  const code = statusOf(error);
  if (code === status.unauthenticated || code === status.permissionDenied) {
    return new ConfigError(`Modal at ${serverUrl} refuses the credentials: ${message}`, {
      code: 'config.modal-denied',
      hint: 'Make a new token (modal token new), and look whether it is one of the right workspace and environment.',
      cause: error,
    });
  }
  if (nameOf(error) !== 'InvalidError') return null;
  return new ConfigError(`Modal cannot ${action}: ${message}`, {
    code: 'config.invalid',
    hint: 'Correct what the message names.',
    cause: error,
  });
}

function explainAnswer(error: unknown, doing: ModalAction): SandboxError {
  const { action, phase, serverUrl } = doing;
  const message = errorMessage(error);
  const code = statusOf(error);
  if (phase !== 'create' && isGone(error)) {
    return modalError(`The sandbox is gone: ${message}`, doing, {
      code: 'sandbox.lost',
      hint: 'Its lifetime may be over, or Modal took its machine: see its logs there. Start again with a new sandbox.',
      cause: error,
    });
  }
  if (code === status.unavailable) {
    return modalError(`Modal at ${serverUrl} cannot be reached: ${message}`, doing, {
      code: 'sandbox.unreachable',
      retryable: true,
      hint: 'Look whether this machine reaches that address (MODAL_SERVER_URL, a proxy, a firewall), and at status.modal.com.',
      cause: error,
    });
  }
  if (nameOf(error) === 'DeadlineExceeded') {
    return modalError(`Modal takes too long to ${action}: ${message}`, doing, {
      code: 'sandbox.timeout',
      retryable: true,
      hint: 'Modal may be short of machines of that kind: ask for less, for other regions, or wait longer (createTimeoutMs).',
      cause: error,
    });
  }
  if (isPassing(error)) {
    return modalError(`Modal has no room or lets no more begin now, and so cannot ${action}: ${message}`, doing, {
      code: 'sandbox.rate-limited',
      retryable: true,
      hint: 'Open fewer sandboxes at once (terminal.max_concurrent_sandboxes), or ask Modal for a higher limit.',
      cause: error,
    });
  }
  return modalError(`Modal cannot ${action}: ${message}`, doing, {
    code: 'sandbox.failed',
    retryable: code === status.unknown || code === status.deadlineExceeded || code === status.internal,
    hint: 'Do what the message says; the page of the app at modal.com tells more.',
    cause: error,
  });
}

/** Makes an error of this backend. */
export const modalError: MakeBackendError = createErrorMaker('modal');
