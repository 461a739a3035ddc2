import type { ParseOptions, ParseResult, StreamEvent, StreamOptions, ToolCallParser } from '../tool-call-parser.ts';
import type { CallsInReasoning, ReasoningOptions, ReasoningParser } from './reasoning-parser.ts';

/** What an answer says, in three parts. */
export interface AnswerResult extends ParseResult {
  /** What the model thought, without white space at its ends; `null` where it did not. */
  readonly reasoning: string | null;
}

/** A step of a streamed answer. */
export type AnswerEvent = StreamEvent | { readonly type: 'reasoning'; readonly text: string };

/** Options of {@link AnswerParser.parse}. */
export interface AnswerParseOptions extends ParseOptions, ReasoningOptions {}

/** Options of {@link AnswerParser.stream}. */
export interface AnswerStreamOptions extends StreamOptions, ReasoningOptions {}

/** Reads one answer piece by piece. */
export interface AnswerStream {
  feed(delta: string): readonly AnswerEvent[];
  /** Says that the answer is over. Afterwards `feed` throws. */
  finish(reason?: 'stop' | 'length'): readonly AnswerEvent[];
}

/** Reads whole answers: reasoning first, tool calls in what remains. */
export interface AnswerParser {
  readonly reasoning: ReasoningParser;
  readonly toolCalls: ToolCallParser;
  readonly callsInReasoning: CallsInReasoning;
  /** Never throws, whatever the text. Equal to the stream fed once. Offsets of errors are those of the whole text. */
  parse(text: string, options?: AnswerParseOptions): AnswerResult;
  stream(options?: AnswerStreamOptions): AnswerStream;
}
