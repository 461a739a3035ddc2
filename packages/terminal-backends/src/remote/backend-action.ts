import { isAbortOf, isTalariaError, SandboxError } from '@talaria/core';
import type { BackendKind } from '../sandbox.ts';

/** What was being done when an error came. */
export interface BackendAction {
  /** Completes "… cannot …". */
  readonly action: string;
  readonly phase: SandboxError['phase'];
  /** Whether something inside a sandbox may have been started. @default false */
  readonly started?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What an error says beside its message. */
export interface BackendErrorParts {
  readonly code: `sandbox.${string}`;
  readonly hint: string;
  /** @default false */
  readonly retryable?: boolean | undefined;
  readonly cause?: unknown;
}

/** Makes an error of one backend. */
export type MakeBackendError = (
  message: string,
  doing: Pick<BackendAction, 'phase' | 'started'>,
  parts: BackendErrorParts,
) => SandboxError;

/** Creates it. */
export function createErrorMaker(backend: BackendKind): MakeBackendError {
  return (message, { phase, started = false }, parts) =>
    new SandboxError(message, { backend, phase, started, ...parts });
}

/** Explains what something else failed with. Own errors pass, and so do aborts, whatever failed because of them. */
export function explainForeign(error: unknown, signal: AbortSignal | undefined, explain: () => unknown): unknown {
  if (isTalariaError(error) || isAbortOf(error, signal)) return error;
  return signal?.aborted ? signal.reason : explain();
}
