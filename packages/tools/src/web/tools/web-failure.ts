import { DeadlineExceeded, errorMessage, type JsonObject, type Logger } from '@talaria/core';
import type { ToolErrorKind } from '../../tool.ts';
import { isUrlRefusedError } from '../url-policy/index.ts';
import { isWebError } from '../web-error.ts';

/** A failure as a result shows it. */
export interface WebFailure {
  readonly kind: ToolErrorKind;
  readonly message: string;
  /** Further fields: `blocked_by_policy`, `status`, `content_type`. */
  readonly details: JsonObject;
}

/** Describes what a provider or a policy threw. What is none of theirs is logged, and the model told no more than that. */
export function describeWebFailure(error: unknown, logger: Logger): WebFailure {
  if (isUrlRefusedError(error)) {
    const details = error.kind === 'blocked' ? { blocked_by_policy: true } : {};
    return { kind: error.kind, message: error.message, details };
  }
  if (isWebError(error)) {
    const { kind, message, status, contentType, hint } = error;
    if (hint !== undefined) logger.warn('web.failed', { message, hint });
    const details = {
      ...(status === undefined ? {} : { status }),
      ...(contentType === undefined ? {} : { content_type: contentType }),
    };
    return { kind, message, details };
  }
  if (error instanceof DeadlineExceeded) {
    return { kind: 'timeout', message: `Not done within ${error.timeoutMs / 1_000} s.`, details: {} };
  }
  logger.error('web.failed', { message: errorMessage(error) });
  return { kind: 'internal', message: 'The web provider failed. Go on without it.', details: {} };
}
