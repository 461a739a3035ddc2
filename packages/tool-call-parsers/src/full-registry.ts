import { hermes } from './hermes/index.ts';
import { createParserRegistry, type ParserRegistry } from './parser-registry.ts';
import type { ToolCallParser } from './tool-call-parser.ts';

/** Every parser of this package. Make a registry of your own from these and yours with `createParserRegistry`. */
export const parsers: readonly ToolCallParser[] = [hermes];

const registry: ParserRegistry = /* @__PURE__ */ createParserRegistry(parsers);

/**
 * The parser of that name or alias among all of this package. `-` and `_` mean the same.
 * @throws ParserError `parser.unknown`, with the known names
 */
export function getParser(name: string): ToolCallParser {
  return registry.getParser(name);
}

/** The names of all parsers of this package, sorted, without aliases. */
export function listParsers(): readonly string[] {
  return registry.listParsers();
}
