import type { JsonObject } from '@talaria/core';
import type { ToolErrorKind, ToolResult } from '../tool.ts';
import { markedResult } from '../tool-result.ts';

/** A failed patch: nothing was changed. */
export function patchError(kind: ToolErrorKind, error: string, extra: JsonObject = {}): ToolResult {
  return markedResult({ success: false, error, error_kind: kind, ...extra }, kind);
}
