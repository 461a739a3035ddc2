import type { ToolCallParser } from '@talaria/tool-call-parsers';

/** Names of the formats, other than the configured one, of which a text holds a start marker. */
export function findForeignMarkers(
  text: string,
  parsers: readonly ToolCallParser[],
  configured: ToolCallParser | null,
): readonly string[] {
  const own = new Set(configured?.startMarkers);
  return parsers
    .filter((parser) => parser.startMarkers.some((marker) => !own.has(marker) && text.includes(marker)))
    .map((parser) => parser.name);
}
