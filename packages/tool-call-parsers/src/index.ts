export { getParser, listParsers, parsers } from './full-registry.ts';
export { ParserError, type ParserErrorCode, UnrenderableError } from './parser-errors.ts';
export { createParserRegistry, type ParserRegistry } from './parser-registry.ts';
export { foldEvents } from './stream/fold-events.ts';
export type {
  CommitMode,
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
