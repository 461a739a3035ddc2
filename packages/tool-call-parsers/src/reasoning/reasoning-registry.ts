import { createNameIndex } from '../name-index.ts';
import { reasoningParsers } from './reasoning-families.ts';
import type { ReasoningParser } from './reasoning-parser.ts';

/** A set of reasoning parsers to choose from by name. */
export interface ReasoningParserRegistry {
  /**
   * The parser of that name or alias. Names are case-sensitive; `-` and `_` mean the same.
   * @throws ParserError `parser.unknown`
   */
  getReasoningParser(name: string): ReasoningParser;
  /** The names, sorted, without aliases. */
  listReasoningParsers(): readonly string[];
}

/**
 * Makes a registry of exactly these parsers.
 * @throws ParserError `parser.duplicate` where two of them claim one name or alias
 */
export function createReasoningParserRegistry(parsers: readonly ReasoningParser[]): ReasoningParserRegistry {
  const index = createNameIndex('reasoning parser', parsers);
  return { getReasoningParser: index.get, listReasoningParsers: () => index.names };
}

const registry: ReasoningParserRegistry = /* @__PURE__ */ createReasoningParserRegistry(reasoningParsers);

/**
 * The reasoning parser of that name or alias among all of this package. `-` and `_` mean the same.
 * @throws ParserError `parser.unknown`, with the known names
 */
export function getReasoningParser(name: string): ReasoningParser {
  return registry.getReasoningParser(name);
}

/** The names of all reasoning parsers of this package, sorted, without aliases. */
export function listReasoningParsers(): readonly string[] {
  return registry.listReasoningParsers();
}
