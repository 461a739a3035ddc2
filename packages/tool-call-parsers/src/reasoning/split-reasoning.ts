import type { ReasoningOptions, ReasoningParser, ReasoningSplit } from './reasoning-parser.ts';
import { getReasoningParser } from './reasoning-registry.ts';

/** Options of {@link splitReasoning}. */
export interface SplitReasoningOptions extends ReasoningOptions {
  /** A name, or a parser of your own. */
  readonly parser: string | ReasoningParser;
}

/**
 * Splits an answer into what the model thought and what it said. Never throws for any text.
 * @throws ParserError `parser.unknown` for a name that is not known
 */
export function splitReasoning(text: string, options: SplitReasoningOptions): ReasoningSplit {
  return resolveReasoningParser(options.parser).split(text, options);
}

/**
 * Whether an answer to this prompt begins inside the reasoning: whether the prompt, as the chat template made it, ends
 * in an open block.
 * @throws ParserError `parser.unknown` for a name that is not known
 */
export function startsInReasoning(prompt: string, parser: string | ReasoningParser): boolean {
  return resolveReasoningParser(parser).isOpenAfter(prompt);
}

/** The parser itself, or the one of that name. */
export function resolveReasoningParser(parser: string | ReasoningParser): ReasoningParser {
  return typeof parser === 'string' ? getReasoningParser(parser) : parser;
}
