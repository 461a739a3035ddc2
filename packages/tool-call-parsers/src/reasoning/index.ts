export type {
  AnswerEvent,
  AnswerParseOptions,
  AnswerParser,
  AnswerResult,
  AnswerStream,
  AnswerStreamOptions,
} from './answer-parser.ts';
export { type AnswerParserOptions, createAnswerParser } from './create-answer-parser.ts';
export { createReasoningParser, type ReasoningParserOptions } from './create-reasoning-parser.ts';
export { foldAnswerEvents } from './fold-answer-events.ts';
export { reasoningParsers } from './reasoning-families.ts';
export type {
  CallsInReasoning,
  ReasoningEvent,
  ReasoningOptions,
  ReasoningParser,
  ReasoningSplit,
  ReasoningStream,
  ReasoningTags,
} from './reasoning-parser.ts';
export {
  createReasoningParserRegistry,
  getReasoningParser,
  listReasoningParsers,
  type ReasoningParserRegistry,
} from './reasoning-registry.ts';
export { type SplitReasoningOptions, splitReasoning, startsInReasoning } from './split-reasoning.ts';
