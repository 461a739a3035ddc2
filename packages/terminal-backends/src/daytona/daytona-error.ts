import { ConfigError, errorMessage, type SandboxError } from '@talaria/core';
import {
  type BackendAction,
  createErrorMaker,
  explainForeign,
  type MakeBackendError,
} from '../remote/backend-action.ts';

/** What an error of the SDK tells. */
export interface DaytonaFailure {
  /** Class of the error, for example `DaytonaNotFoundError`. */
  readonly name: string;
  /** HTTP status of the answer; `null` where none came. */
  readonly status: number | null;
  readonly message: string;
  /** How long the service asks to wait; `null` where it does not say. */
  readonly retryAfterMs: number | null;
}

/** Reads an error of the SDK, by its shape; `null` for any other. */
export function readDaytonaFailure(error: unknown): DaytonaFailure | null {
  if (typeof error !== 'object' || error === null || !('name' in error) || !('message' in error)) return null;
  const { name, message } = error;
  if (typeof name !== 'string' || !name.startsWith('Daytona') || typeof message !== 'string') return null;
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : null;
  const headers: unknown = 'headers' in error ? error.headers : null;
  const retryAfter =
    typeof headers === 'object' && headers !== null && 'retry-after' in headers ? headers['retry-after'] : null;
  return { name, status, message, retryAfterMs: readRetryAfter(retryAfter) };
}

const maxRetryAfterMs = 300_000;

/** Seconds, or a date. */
function readRetryAfter(value: unknown): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const seconds = Number(value);
  const delayMs = Number.isNaN(seconds) ? Date.parse(String(value)) - Date.now() : seconds * 1_000;
  return Number.isNaN(delayMs) ? null : Math.min(maxRetryAfterMs, Math.max(0, delayMs));
}

/** What can be concluded from a failure. */
export type FailureKind =
  /** There is no such sandbox. */
  | 'missing'
  /** The sandbox does not run. */
  | 'stopped'
  /** The key is wrong, or may not do this. */
  | 'refused'
  /** The request never got there. */
  | 'unreachable'
  /** Nothing was done, and later it may be. */
  | 'rate-limited'
  /** Nothing was done, since what was asked for is wrong. */
  | 'rejected'
  /** The name is taken. */
  | 'conflict'
  /** Nobody knows whether it was done. */
  | 'unclear';

/** Statuses by which a service says that it, not the request, is at fault. */
const firstServerStatus = 500;
const timeoutStatus = 408;

const unreachedMessage = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|self-signed certificate/;

/** Judges a failure. */
export function judgeFailure({ name, status, message }: DaytonaFailure): FailureKind {
  if (status === null && name === 'DaytonaConnectionError' && unreachedMessage.test(message)) return 'unreachable';
  switch (status) {
    case 404:
      return 'missing';
    case 401:
    case 403:
      return 'refused';
    case 409:
      return 'conflict';
    case 429:
      return 'rate-limited';
    case 400:
      return /is the sandbox started|sandbox is not (?:started|running)|no IP address found/i.test(message)
        ? 'stopped'
        : 'rejected';
    default: {
      const isAnswer = status !== null && status >= 400 && status < firstServerStatus && status !== timeoutStatus;
      return isAnswer ? 'rejected' : 'unclear';
    }
  }
}

/** What was being done when an error came. Its action completes "Daytona cannot …". */
export interface DaytonaAction extends BackendAction {
  readonly apiUrl: string;
}

/** Gives a failure its place among the errors of Talaria; what is no failure of the SDK passes through. */
export function explainDaytonaError(error: unknown, doing: DaytonaAction): unknown {
  return explainForeign(error, doing.signal, () => explainFailure(error, doing));
}

function explainFailure(error: unknown, doing: DaytonaAction): unknown {
  const { action, apiUrl } = doing;
  const failure = readDaytonaFailure(error);
  if (failure === null) return error;
  const what = `Daytona cannot ${action}: ${failure.message}`;
  const kind = judgeFailure(failure);
  switch (kind) {
    case 'missing':
    case 'stopped':
      return daytonaError(what, doing, {
        code: doing.phase === 'create' ? 'sandbox.failed' : 'sandbox.lost',
        hint: 'Find out what ended the sandbox (its page in the Daytona console tells), and start again with a new one.',
        cause: error,
      });
    case 'refused':
      return refusedError(failure, apiUrl, error);
    case 'rate-limited':
      return daytonaError(what, doing, {
        code: 'sandbox.rate-limited',
        retryable: true,
        hint: 'Open fewer sandboxes at once (terminal.max_concurrent_creates), or raise the limit of the organization.',
        cause: error,
      });
    case 'conflict':
    case 'rejected':
      return daytonaError(what, doing, { code: 'sandbox.failed', hint: hintOf(failure.message), cause: error });
    case 'unreachable':
      return unreachableError(failure, doing, error);
    case 'unclear':
      return daytonaError(what, doing, {
        code: 'sandbox.failed',
        retryable: doing.started !== true,
        hint: `Look whether the Daytona API at ${apiUrl} works (https://status.daytona.io tells of the public one).`,
        cause: error,
      });
  }
}

function hintOf(message: string): string {
  return /quota|limit|exceed/i.test(message)
    ? 'Ask for less, remove sandboxes that nobody needs (talaria sandboxes sweep), or raise the limits of the organization.'
    : 'Do what Daytona says; its console tells more.';
}

/** Nobody answers. */
function unreachableError({ message }: DaytonaFailure, doing: DaytonaAction, cause: unknown): SandboxError {
  return daytonaError(`No Daytona API answers at ${doing.apiUrl}: ${message}`, doing, {
    code: 'sandbox.unreachable',
    retryable: true,
    hint: 'Correct DAYTONA_API_URL (terminal.daytona.api_url), or look at the network of this machine.',
    cause,
  });
}

/** Says what to do about a key. */
export const keyHint =
  'Make a key at https://app.daytona.io/dashboard/keys and set DAYTONA_API_KEY (terminal.daytona.api_key), or choose another terminal.backend.';

function refusedError({ status, message }: DaytonaFailure, apiUrl: string, cause: unknown): ConfigError {
  const what = status === 401 ? 'does not accept the key' : 'does not let this key do what it is asked for';
  return new ConfigError(`The Daytona API at ${apiUrl} ${what}: ${message}`, {
    code: 'config.daytona-denied',
    hint: keyHint,
    cause,
  });
}

/** Makes an error of this backend. */
export const daytonaError: MakeBackendError = createErrorMaker('daytona');

/** The error of a sandbox that is gone. */
export function lostError(id: string, phase: SandboxError['phase'], cause?: unknown): SandboxError {
  return daytonaError(
    `The sandbox ${id} is gone${cause === undefined ? '' : `: ${errorMessage(cause)}`}`,
    { phase, started: true },
    {
      code: 'sandbox.lost',
      hint: 'Find out what ended it (its page in the Daytona console tells), and start again with a new sandbox.',
      cause,
    },
  );
}
