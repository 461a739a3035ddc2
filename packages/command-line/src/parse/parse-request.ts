import type { ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';
import type { ParseArguments } from './read-parse-arguments.ts';

/** Arguments whose names have been looked up. */
export interface ParseRequest extends ParseArguments {
  readonly parser: ToolCallParser;
  readonly tools: readonly ToolSchema[] | undefined;
}
