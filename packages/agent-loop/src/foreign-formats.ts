import type { ToolDefinition } from '@talaria/core';
import type { ToolCallParser } from '@talaria/tool-call-parsers';

/** What a text is searched with. */
export interface ForeignFormatOptions {
  /** The formats to look for. */
  readonly parsers: readonly ToolCallParser[];
  /** Was asked already. */
  readonly configured: ToolCallParser | null;
  /** The tools that the model was told of. */
  readonly tools: readonly ToolDefinition[];
}

/**
 * Names of the formats, other than the configured one, in which a text calls one of the tools. A marker alone proves
 * nothing, since answers talk about markers, and some formats have none: each format that could be meant reads the text.
 */
export function findForeignFormats(text: string, options: ForeignFormatOptions): readonly string[] {
  const { parsers, configured, tools } = options;
  // No call is without the name of its tool: most answers need no more than this.
  const named = new Set(tools.map((tool) => tool.function.name).filter((name) => text.includes(name)));
  if (named.size === 0) return [];
  const known = new Map<string, boolean>();
  return parsers
    .filter((parser) => parser.name !== configured?.name && holdsMarker(text, parser.startMarkers, known))
    .filter((parser) => parser.parse(text, { tools }).toolCalls.some((call) => named.has(call.name)))
    .map((parser) => parser.name);
}

/** Formats without markers could always be meant. Several formats share a marker: `known` keeps what was found. */
function holdsMarker(text: string, markers: readonly string[], known: Map<string, boolean>): boolean {
  return (
    markers.length === 0 ||
    markers.some((marker) => {
      const isHeld = known.get(marker) ?? text.includes(marker);
      known.set(marker, isHeld);
      return isHeld;
    })
  );
}
