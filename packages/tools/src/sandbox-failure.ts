import { errorMessage, isTalariaError } from '@talaria/core';
import type { ToolErrorKind } from './tool.ts';

const kinds: ReadonlyMap<string, ToolErrorKind> = new Map([
  ['sandbox.not-found', 'not_found'],
  ['sandbox.is-directory', 'invalid_args'],
  ['sandbox.not-directory', 'invalid_args'],
  ['sandbox.exists', 'invalid_args'],
  ['sandbox.permission', 'permission'],
  ['sandbox.unsafe-path', 'permission'],
  ['sandbox.too-large', 'too_large'],
  ['sandbox.invalid-command', 'invalid_args'],
  ['sandbox.command-too-long', 'too_large'],
  ['sandbox.timeout', 'timeout'],
]);

/** Whether the sandbox is gone, so that the rollout cannot go on. */
export function isSandboxLost(error: unknown): boolean {
  return isTalariaError(error) && (error.code === 'sandbox.lost' || error.code === 'sandbox.closed');
}

/** What the model is told of something that was thrown: never a stack trace. */
export function describeFailure(error: unknown): { readonly kind: ToolErrorKind; readonly message: string } {
  if (!isTalariaError(error)) return { kind: 'internal', message: errorMessage(error) };
  const message = error.hint === undefined ? error.message : `${error.message}. ${error.hint}`;
  return { kind: kinds.get(error.code) ?? 'internal', message };
}

/** Whether an error says that there is nothing at a path. */
export function isNotFound(error: unknown): boolean {
  return isTalariaError(error) && (error.code === 'sandbox.not-found' || error.code === 'sandbox.not-directory');
}
