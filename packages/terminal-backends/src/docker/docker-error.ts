import { ConfigError, errorMessage, type SandboxError, systemErrorCode } from '@talaria/core';
import {
  type BackendAction,
  createErrorMaker,
  explainForeign,
  type MakeBackendError,
} from '../remote/backend-action.ts';

/** What the engine answered with, where an error is such an answer. */
export interface EngineAnswer {
  readonly status: number;
  readonly message: string;
}

/** Reads the error that the client makes of an answer; `null` for any other. */
export function readEngineAnswer(error: unknown): EngineAnswer | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  if (typeof error.statusCode !== 'number') return null;
  const body: unknown = 'json' in error ? error.json : null;
  const own = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  return { status: error.statusCode, message: typeof own === 'string' ? own : errorMessage(error) };
}

/** Whether an error says that the thing asked for does not exist. */
export function isMissing(error: unknown): boolean {
  return readEngineAnswer(error)?.status === 404;
}

/** What was being done when an error came. Its action completes "Docker cannot …". */
export interface DockerAction extends BackendAction {
  /** The engine's address. */
  readonly host: string;
}

const unreachable: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'ENETUNREACH',
]);

/** Turns what the client or the engine failed with into an error that says what to do. Own errors and aborts pass. */
export function explainDockerError(error: unknown, doing: DockerAction): unknown {
  return explainForeign(error, doing.signal, () => explainFailure(error, doing));
}

function explainFailure(error: unknown, doing: DockerAction): unknown {
  const { host } = doing;
  const answer = readEngineAnswer(error);
  if (answer !== null) return explainAnswer(answer, doing, error);
  const code = systemErrorCode(error);
  if (code === 'EACCES' || code === 'EPERM') return deniedError(host, error);
  if (unreachable.has(code)) return unreachableError(host, error);
  return dockerError(`Docker cannot ${doing.action}: ${errorMessage(error)}`, doing, {
    code: 'sandbox.failed',
    retryable: true,
    hint: `Look whether the Docker engine at ${host} still runs, and into its log.`,
    cause: error,
  });
}

/** The engine does not answer. */
export function unreachableError(host: string, cause: unknown): ConfigError {
  return new ConfigError(`No Docker engine answers at ${host}: ${errorMessage(cause)}`, {
    code: 'config.docker-unreachable',
    hint: 'Start it (systemctl start docker, or dockerd), set DOCKER_HOST, or choose another terminal.backend.',
    cause,
  });
}

function deniedError(host: string, cause: unknown): ConfigError {
  return new ConfigError(`This user may not use the Docker engine at ${host}: ${errorMessage(cause)}`, {
    code: 'config.docker-denied',
    hint: 'Add the user to the group (sudo usermod -aG docker USER, then log in again; that is as good as root), or use a rootless engine by DOCKER_HOST.',
    cause,
  });
}

function explainAnswer(answer: EngineAnswer, doing: DockerAction, cause: unknown): SandboxError {
  const { status, message } = answer;
  if (/is paused/i.test(message)) {
    return dockerError(`Docker cannot ${doing.action}: the container is paused`, doing, {
      code: 'sandbox.paused',
      retryable: true,
      hint: 'Let it go on (docker unpause), or dispose of the sandbox.',
      cause,
    });
  }
  if (doing.phase !== 'create' && (/no such container/i.test(message) || /is not running/i.test(message))) {
    return dockerError('The container of the sandbox is gone', doing, {
      code: 'sandbox.lost',
      hint: 'Find out what ended it (docker events, dmesg), and start again with a new sandbox.',
      cause,
    });
  }
  return dockerError(`Docker cannot ${doing.action}: ${message.trim()} (status ${status})`, doing, {
    code: /no space left/i.test(message) ? 'sandbox.no-space' : 'sandbox.failed',
    retryable: status >= 500 || status === 429,
    hint: 'Do what the engine says; its own log tells more.',
    cause,
  });
}

/** Makes an error of this backend. */
export const dockerError: MakeBackendError = createErrorMaker('docker');
