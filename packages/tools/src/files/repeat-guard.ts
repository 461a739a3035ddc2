import type { ToolCallContext, ToolResult } from '../tool.ts';
import { toolError } from '../tool-result.ts';

/** What a tool that only looks does about being called the same way again and again. */
export interface RepeatVerdict {
  /** To be added to the result. */
  readonly warning?: string;
  /** To be returned instead of the result. */
  readonly refusal?: ToolResult;
}

/** The third call in a row gets a warning; with the policy `block` the fourth is refused. */
export function judgeRepeat({ repeatCount, settings }: ToolCallContext, action: string): RepeatVerdict {
  if (settings.repeatPolicy === 'off' || repeatCount < 3) return {};
  const warning = `You ${action} ${repeatCount} times in a row, and it does not change. Use what you have, or do something else.`;
  if (settings.repeatPolicy === 'warn' || repeatCount === 3) return { warning };
  return { refusal: toolError('blocked', warning, { already_read: repeatCount }) };
}
