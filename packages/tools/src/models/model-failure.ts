import { errorMessage, isTalariaError, truncateText } from '@talaria/core';
import type { ToolErrorKind, ToolResult } from '../tool.ts';
import { toolError } from '../tool-result.ts';

/** Longest message of a failure that is told. */
const maxMessageChars = 500;

/** What the model is told of another model's failure. */
export interface ModelFailure {
  readonly kind: ToolErrorKind;
  readonly message: string;
}

/** Failures of an endpoint that may pass. */
const passing: ReadonlySet<string> = new Set([
  'model.connection',
  'model.timeout',
  'model.rate-limited',
  'model.overloaded',
  'model.server-error',
  'model.throttled',
]);

/**
 * Explains what a model rejected with: `network` where the endpoint cannot be reached or may answer later, `not_available`
 * where it will not. Not for aborts, which pass unchanged.
 */
export function explainModelFailure(modelName: string, error: unknown): ModelFailure {
  const said = `${modelName} failed: ${truncateText(errorMessage(error), maxMessageChars)}`;
  if (!isTalariaError(error)) return { kind: 'internal', message: said };
  const mayPass = error.retryable || passing.has(error.code);
  if (mayPass) return { kind: 'network', message: `${said}. Try again later, or go on without it.` };
  return { kind: 'not_available', message: `${said}. Go on without it.` };
}

/** A failed call of a tool of this folder. */
export function failedCall(failure: ModelFailure): ToolResult {
  return toolError(failure.kind, failure.message, { success: false });
}
