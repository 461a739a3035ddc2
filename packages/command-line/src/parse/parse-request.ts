import type { ParseResult, ToolCallParser, ToolSchema } from '@talaria/tool-call-parsers';
import type { AnswerParseOptions, AnswerStream, AnswerStreamOptions } from '@talaria/tool-call-parsers/reasoning';
import type { ParseArguments } from './read-parse-arguments.ts';

/** Arguments whose names have been looked up. */
export interface ParseRequest extends ParseArguments {
  readonly parser: ToolCallParser;
  /** What reads the text: the parser alone, or behind a reasoning parser. */
  readonly reader: AnswerReader;
  readonly tools: readonly ToolSchema[] | undefined;
}

/** What a tool-call parser and an answer parser have in common. */
export interface AnswerReader {
  parse(text: string, options: AnswerParseOptions): ReadAnswer;
  stream(options: AnswerStreamOptions): AnswerStream;
}

/** What a text says. */
export interface ReadAnswer extends ParseResult {
  /** `null` where the model did not think; absent where reasoning is not told apart. */
  readonly reasoning?: string | null | undefined;
}
