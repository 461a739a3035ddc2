import { optionError } from '../option-error.ts';
import type { ToolCallParser } from '../tool-call-parser.ts';
import type { AnswerParser, AnswerStreamOptions } from './answer-parser.ts';
import { createCallEndsReasoningStream } from './call-ends-reasoning-stream.ts';
import { checkCallsInReasoning } from './check-calls-in-reasoning.ts';
import { foldAnswerEvents } from './fold-answer-events.ts';
import { hasMethods } from './has-methods.ts';
import type { CallsInReasoning, ReasoningParser } from './reasoning-parser.ts';
import { createSplitFirstStream } from './split-first-stream.ts';
import { resolveReasoningParser } from './split-reasoning.ts';

/** What to read answers with. */
export interface AnswerParserOptions {
  /** A name, or a parser of your own. `identity` where the model does not reason. */
  readonly reasoning: string | ReasoningParser;
  /** Reads the calls. A parser, no name, so that a bundle holds no more than it uses: `getParser(name)` gives one. */
  readonly toolCalls: ToolCallParser;
  /**
   * What becomes of calls that begin inside the reasoning. `end-reasoning` needs a reasoning parser with `tags`; with
   * others it does what `ignore` does. @default what is usual in the family: `ReasoningParser.callsInReasoning`
   */
  readonly callsInReasoning?: CallsInReasoning | undefined;
}

/**
 * Makes a parser of whole answers from one for the reasoning and one for the calls.
 * @throws ParserError `parser.unknown` for a name that is not known, `parser.option` for what an option does not take
 */
export function createAnswerParser(options: AnswerParserOptions): AnswerParser {
  const { toolCalls } = options;
  if (!hasMethods(toolCalls, ['parse', 'stream'])) {
    throw optionError('toolCalls', toolCalls, 'a tool-call parser, as getParser(name) gives');
  }
  const reasoning = resolveReasoningParser(options.reasoning, 'reasoning');
  const { tags, callsInReasoning: usual } = reasoning;
  const wanted = checkCallsInReasoning(options.callsInReasoning ?? usual);
  const callsInReasoning = tags === undefined ? 'ignore' : wanted;

  const parser: AnswerParser = {
    reasoning,
    toolCalls,
    callsInReasoning,
    parse(text, answer) {
      const stream = parser.stream(answer);
      return foldAnswerEvents([...stream.feed(text), ...stream.finish()]);
    },
    stream: (answer: AnswerStreamOptions = {}) =>
      callsInReasoning === 'end-reasoning' && tags !== undefined
        ? createCallEndsReasoningStream(reasoning, tags, toolCalls, answer)
        : createSplitFirstStream(reasoning, toolCalls, answer),
  };
  return parser;
}
