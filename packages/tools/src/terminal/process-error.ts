import type { ToolErrorKind, ToolResult } from '../tool.ts';
import { markedResult } from '../tool-result.ts';

/** What the process tool answers where it could not do what was asked. */
export function processError(kind: ToolErrorKind, error: string): ToolResult {
  return markedResult({ status: 'error', error }, kind);
}
