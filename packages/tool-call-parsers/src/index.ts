export { type DetectedFormat, type DetectionConfidence, detectFormat, detectFormats } from './detect/index.ts';
export { getParser, listParsers, parsers } from './full-registry.ts';
export {
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatCompletionOptions,
  type ChunkMapper,
  type ChunkMapperOptions,
  createChunkMapper,
  toChatCompletion,
} from './openai/index.ts';
export { ParserError, type ParserErrorCode, UnrenderableError } from './parser-errors.ts';
export { createParserRegistry, type ParserRegistry } from './parser-registry.ts';
export {
  type AnswerEvent,
  type AnswerParser,
  type AnswerParserOptions,
  type AnswerResult,
  type AnswerStream,
  type CallsInReasoning,
  createAnswerParser,
  createReasoningParser,
  foldAnswerEvents,
  getReasoningParser,
  listReasoningParsers,
  type ReasoningEvent,
  type ReasoningParser,
  type ReasoningParserOptions,
  type ReasoningSplit,
  reasoningParsers,
  splitReasoning,
  startsInReasoning,
} from './reasoning/index.ts';
export { foldEvents } from './stream/fold-events.ts';
export type {
  CommitMode,
  DeclaredFunction,
  ParsedToolCall,
  ParseError,
  ParseErrorKind,
  ParseOptions,
  ParseResult,
  RenderCall,
  RenderOptions,
  StreamEvent,
  StreamOptions,
  StreamParser,
  ToolCallParser,
  ToolSchema,
} from './tool-call-parser.ts';
