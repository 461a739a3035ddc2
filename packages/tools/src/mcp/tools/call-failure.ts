import { errorMessage, systemErrorCode, truncateText } from '@talaria/core';
import type { ToolErrorKind, ToolResult } from '../../tool.ts';
import { toolError } from '../../tool-result.ts';
import { findRefusal } from '../find-refusal.ts';
import { statusOf } from '../http/http-transport.ts';
import { McpAnswerError } from '../mcp-connection.ts';
import { McpServerGone } from '../mcp-session.ts';

const maxMessageChars = 2_000;

/** Codes of JSON-RPC that say more than that something went wrong. */
const protocolKinds: ReadonlyMap<unknown, ToolErrorKind> = new Map([
  [-32_601, 'not_available'],
  [-32_602, 'invalid_args'],
]);

/** What the model is told of a call that brought no result. */
export function describeCallFailure(server: string, error: unknown): ToolResult {
  const subject = `The MCP server ${server}`;
  const message = shorten(error);
  if (error instanceof McpServerGone) {
    return toolError('not_available', `${subject} does not run any more: ${message}. Its tools cannot be used.`);
  }
  const refusal = findRefusal(error);
  if (refusal !== undefined) return toolError(refusal.kind, refusal.message);
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (code === 'CONNECTION_CLOSED' || code === 'NOT_CONNECTED' || isBrokenOff(error)) {
    return toolError(
      'network',
      `${subject} ended before it answered this call, which may have had an effect all the same. The next call tries to reach it again.`,
    );
  }
  const status = statusOf(error);
  if (status !== undefined) return toolError('network', `${subject} answered with HTTP status ${status}.`);
  if (typeof code === 'number') return toolError(protocolKinds.get(code) ?? 'internal', message);
  if (error instanceof McpAnswerError) return toolError('internal', `${subject} answered what is no result of a tool.`);
  const cause = typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined;
  const reason = systemErrorCode(cause) ?? systemErrorCode(error);
  return toolError('network', `${subject} could not be asked: ${reason ?? message}.`);
}

function shorten(error: unknown): string {
  return truncateText(errorMessage(error), maxMessageChars).replace(/\.$/, '');
}

/** See `brokenOff` of the HTTP transport. */
function isBrokenOff(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('data' in error)) return false;
  const { data } = error;
  return typeof data === 'object' && data !== null && 'talaria' in data && data.talaria === 'broken-off';
}
