import { createNameIndex } from './name-index.ts';
import type { ToolCallParser } from './tool-call-parser.ts';

/** A set of parsers to choose from by name. */
export interface ParserRegistry {
  /**
   * The parser of that name or alias. Names are case-sensitive; `-` and `_` mean the same.
   * @throws ParserError `parser.unknown`
   */
  getParser(name: string): ToolCallParser;
  /** The names, sorted, without aliases. */
  listParsers(): readonly string[];
}

/**
 * Makes a registry of exactly these parsers.
 * @throws ParserError `parser.duplicate` where two of them claim one name or alias
 */
export function createParserRegistry(parsers: readonly ToolCallParser[]): ParserRegistry {
  const index = createNameIndex('tool-call parser', parsers);
  return { getParser: index.get, listParsers: () => index.names };
}
