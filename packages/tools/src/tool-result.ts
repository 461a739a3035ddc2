import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@talaria/core';
import { type ToolErrorKind, type ToolResult, toolResultBrand } from './tool.ts';

const errorKinds: ReadonlySet<string> = new Set<ToolErrorKind>([
  'invalid_args',
  'unknown_tool',
  'not_available',
  'blocked',
  'timeout',
  'interrupted',
  'not_found',
  'permission',
  'too_large',
  'network',
  'sandbox_lost',
  'internal',
]);

/**
 * A failed call. The model sees `{"error": message, "error_kind": kind, …extra}`: say in one sentence what went wrong and
 * what to do next, never a stack trace.
 */
export function toolError(kind: ToolErrorKind, message: string, extra: JsonObject = {}): ToolResult {
  return markedResult({ error: message, error_kind: kind, ...extra }, kind);
}

/** Text that reaches the model as it is, never read as JSON that might hold an error. */
export function toolText(text: string): ToolResult {
  return markedResult(text, null);
}

/** A result of any shape with its verdict: an error of `errorKind`, or none. */
export function markedResult(content: JsonValue, errorKind: ToolErrorKind | null): ToolResult {
  return { [toolResultBrand]: true, content, isError: errorKind !== null, errorKind };
}

/** Whether a tool returned a {@link ToolResult} rather than a plain JSON value. */
export function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && toolResultBrand in value;
}

/**
 * The one decision whether a plain value that a tool returned is an error: an `error` that is not empty, `success` of
 * false, or a negative `exit_code`. A command that exits with another status than 0 is none.
 */
export function errorKindOf(value: JsonValue | undefined): ToolErrorKind | null {
  if (!isJsonObject(value)) return null;
  const exitCode = value['exit_code'];
  const isError =
    Boolean(value['error']) || value['success'] === false || (typeof exitCode === 'number' && exitCode < 0);
  if (!isError) return null;
  const kind = value['error_kind'];
  return isErrorKind(kind) ? kind : 'internal';
}

/** The same decision for stored results of other programs, given as text. For rows that Talaria did not write. */
export function inferToolError(content: string): boolean {
  const parsed = parseJson(content);
  if (!parsed.ok || !isJsonObject(parsed.value)) return false;
  return Boolean(parsed.value['error']) || parsed.value['success'] === false;
}

function isErrorKind(value: JsonValue | undefined): value is ToolErrorKind {
  return typeof value === 'string' && errorKinds.has(value);
}
