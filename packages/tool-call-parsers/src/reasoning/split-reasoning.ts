import { optionError } from '../option-error.ts';
import { hasMethods } from './has-methods.ts';
import type { ReasoningOptions, ReasoningParser, ReasoningSplit } from './reasoning-parser.ts';
import { getReasoningParser } from './reasoning-registry.ts';

/** Options of {@link splitReasoning}. */
export interface SplitReasoningOptions extends ReasoningOptions {
  /** A name, or a parser of your own. */
  readonly parser: string | ReasoningParser;
}

/**
 * Splits an answer into what the model thought and what it said. Never throws for any text.
 * @throws ParserError `parser.unknown` for a name that is not known, `parser.option` for what is no parser
 */
export function splitReasoning(text: string, options: SplitReasoningOptions): ReasoningSplit {
  if (Object(options) !== options) throw optionError('options', options, 'an object { parser }');
  return resolveReasoningParser(options.parser, 'parser').split(text, options);
}

/**
 * Whether an answer to this prompt begins inside the reasoning: whether the prompt, as the chat template made it, ends
 * in an open block.
 * @throws ParserError `parser.unknown` for a name that is not known, `parser.option` for what is no parser
 */
export function startsInReasoning(prompt: string, parser: string | ReasoningParser): boolean {
  return resolveReasoningParser(parser, 'parser').isOpenAfter(prompt);
}

/**
 * The parser that was given for an option: itself, or the one of that name.
 * @throws ParserError `parser.unknown` for a name that is not known, `parser.option` for what is no parser
 */
export function resolveReasoningParser(parser: string | ReasoningParser, option: string): ReasoningParser {
  if (typeof parser === 'string') return getReasoningParser(parser);
  if (hasMethods(parser, ['split', 'stream', 'isOpenAfter'])) return parser;
  throw optionError(option, parser, 'a name or a reasoning parser, as getReasoningParser(name) gives');
}
